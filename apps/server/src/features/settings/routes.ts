import { type endpoints, getChain, localChainId, plans, supportedChainIds } from '@tocsin/protocol'
import { auditorOf } from '../../audit-log.ts'
import {
  CHAIN_SETTING,
  configuredContexts,
  findPaymentChain,
  isConfigured,
  listPaymentContexts,
  storedChain,
} from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { findSetting } from '../../db/setting.ts'
import type { Handler, Input } from '../../http/route.ts'
import { changeChain as change } from './chain.ts'

export const chainConfig: Handler<typeof endpoints.chainConfig> = async (ctx) => {
  const { id, name } = await findPaymentChain(ctx)
  return { chainId: String(id), chainName: name }
}

export const findChainSetting: Handler<typeof endpoints.findChainSetting> = async (ctx) => {
  const { id, name } = await findPaymentChain(ctx)
  const saved = await findSetting(ctx.db, CHAIN_SETTING)
  const selectable = new Set([...supportedChainIds, ctx.config.payment.chainId, id])
  return {
    value: String(id),
    chainName: name,
    description: saved === null ? '' : storedChain.parse(saved.value).description,
    supported: [...selectable].map((chainId) => {
      const chain = getChain(chainId)
      return {
        chainId: String(chainId),
        chainName: chain.name,
        explorer: chain.explorerUrl,
        isReadable: isConfigured(ctx.config, chainId),
      }
    }),
  }
}

export const changeChain: Handler<typeof endpoints.changeChain> = async (ctx, input) => {
  const { id, name } = await change(ctx, { by: auditorOf(input), ...input.body })
  const message = `Payments are made on ${name} from now on.`
  const warning = 'No node is configured for it: payments on it wait until PAYMENT_CHAINS names one.'
  return { success: true, message: isConfigured(ctx.config, id) ? message : `${message} ${warning}` }
}

/** Facts of other features that the public configuration contains. */
export interface ConfigParts {
  /** All signing keys, oldest first. */
  publishedKeys(ctx: Context): Promise<{ address: string }[]>
  /** True if wallets approve and the server collects on this context's payment chain. */
  isCollector(ctx: Context): boolean
}

export async function publicConfig(
  ctx: Context,
  _input: Input<typeof endpoints.publicConfig>,
  { publishedKeys, isCollector }: ConfigParts,
): ReturnType<Handler<typeof endpoints.publicConfig>> {
  const { config } = ctx
  const keys = await publishedKeys(ctx)
  const { id, name, isReadable } = await findPaymentChain(ctx)
  const [chosen] = await listPaymentContexts(ctx)
  const terms = chosen.config.payment
  return {
    product: 'Tocsin',
    version: config.version,
    demo: config.demo,
    chain: {
      id,
      name,
      rpcUrl: publicRpcUrl(ctx, id),
      confirmations: terms.confirmations,
      isReadable,
    },
    token: { address: terms.token, symbol: 'ITO', decimals: 18 },
    treasury: terms.treasury,
    paymentPath: isCollector(chosen) ? 'approve' : 'transfer',
    signer: keys.at(-1)?.address ?? '',
    firstSigner: keys[0]?.address ?? '',
    log: { origin: config.logOrigin },
    anchor: {
      chainId: config.anchor.chainId,
      chainName: getChain(config.anchor.chainId).name,
      contract: config.anchor.contract,
      rpcUrl: publicRpcUrl(ctx, config.anchor.chainId),
      intervalSeconds: config.anchor.intervalSeconds,
    },
    plans: plans.map(({ id, price, priceWei, hours }) => ({ id, price, priceWei: priceWei.toString(), hours })),
    signIn: {
      password: true,
      google: config.providers.google !== null,
      linkedin: config.providers.linkedin !== null,
      wallet: true,
      walletChainIds: configuredContexts(ctx).map((context) => context.config.payment.chainId),
    },
    walletConnect: config.walletConnect,
    publicDelayHours: config.publicDelayHours,
  }
}

/**
 * Only the demo's local chain is open to browsers. An operator's node URL may contain an API key
 * and is never published.
 */
export function publicRpcUrl({ config }: Context, chainId: number): string | null {
  return config.demo && chainId === localChainId ? `${config.http.publicUrl}/dev/chain` : null
}
