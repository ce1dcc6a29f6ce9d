import { getChain, type PublicConfig, plans } from '@tocsin/protocol'
import { findPaymentChain, listConfiguredChains, listContextsSelectedFirst } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { findPushKey } from '../channels/push/vapid-keys.ts'
import { isCollector } from '../payments/collect.ts'
import { getPublicRpcUrl } from '../settings/public-rpc-url.ts'
import { listPublishedKeys } from '../tlog/service.ts'

/** @param parts replaced in tests */
export async function publicConfig(
  ctx: Context,
  parts: {
    publishedKeys: (ctx: Context) => Promise<{ address: string }[]>
    isCollector: typeof isCollector
    findPushKey: typeof findPushKey
  } = {
    publishedKeys: listPublishedKeys,
    isCollector,
    findPushKey,
  },
): Promise<PublicConfig> {
  const { config } = ctx
  const [keys, { id, name, isReadable }, pushKey] = await Promise.all([
    parts.publishedKeys(ctx),
    findPaymentChain(ctx),
    parts.findPushKey(ctx),
  ])
  const [selectedContext] = listContextsSelectedFirst(ctx, id)
  const terms = selectedContext.config.payment
  return {
    product: 'Tocsin',
    version: config.version,
    demo: config.demo,
    ...(config.demoMarket === null ? {} : { demoMarket: config.demoMarket }),
    chain: {
      id,
      name,
      rpcUrl: getPublicRpcUrl(ctx, id),
      confirmations: terms.confirmations,
      isReadable,
    },
    token: { address: terms.token, symbol: 'ITO', decimals: 18 },
    tokenExchangeUrl: config.tokenExchangeUrl,
    treasury: terms.treasury,
    paymentPath: parts.isCollector(selectedContext) ? 'approve' : 'transfer',
    signer: keys.at(-1)?.address ?? '',
    firstSigner: keys[0]?.address ?? '',
    log: { origin: config.logOrigin },
    anchor: {
      chainId: config.anchor.chainId,
      chainName: getChain(config.anchor.chainId).name,
      contract: config.anchor.contract,
      rpcUrl: getPublicRpcUrl(ctx, config.anchor.chainId),
      intervalSeconds: config.anchor.intervalSeconds,
    },
    plans: plans.map(({ id, price, priceWei, hours }) => ({ id, price, priceWei: priceWei.toString(), hours })),
    signIn: {
      password: true,
      google: config.providers.google !== null,
      linkedin: config.providers.linkedin !== null,
      wallet: true,
      walletChainIds: listConfiguredChains(config).map(({ chainId }) => chainId),
    },
    telegram: config.telegram !== null,
    pushKey,
    walletConnect: config.walletConnect,
    publicDelayHours: config.publicDelayHours,
    shareLinkHours: config.shareLinkHours,
    deliveriesDays: config.deliveriesDays,
  }
}
