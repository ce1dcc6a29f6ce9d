import { type endpoints, getChain, localChainId, plans } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Handler } from '../../http/route.ts'

export const chainConfig: Handler<typeof endpoints.chainConfig> = async ({ config }) => ({
  chainId: String(config.payment.chainId),
  chainName: getChain(config.payment.chainId).name,
})

export const publicConfig: Handler<typeof endpoints.publicConfig> = async (ctx) => {
  const { config } = ctx
  return {
    product: 'Tocsin',
    version: config.version,
    demo: config.demo,
    chain: {
      id: config.payment.chainId,
      name: getChain(config.payment.chainId).name,
      rpcUrl: publicRpcUrl(ctx, config.payment.chainId),
      confirmations: config.payment.confirmations,
    },
    token: { address: config.payment.token, symbol: 'ITO', decimals: 18 },
    treasury: config.payment.treasury,
    signer: ctx.signer.address,
    anchor: {
      chainId: config.anchor.chainId,
      chainName: getChain(config.anchor.chainId).name,
      contract: config.anchor.contract,
      rpcUrl: publicRpcUrl(ctx, config.anchor.chainId),
      intervalSeconds: config.anchor.intervalSeconds,
    },
    plans: plans.map(({ id, price, priceWei, hours }) => ({ id, price, priceWei: priceWei.toString(), hours })),
    signIn: { password: true, google: false, linkedin: false, wallet: false },
    publicDelayHours: config.publicDelayHours,
  }
}

/** Only the demo's own chain is open to browsers; an operator's node may carry a key in its URL and is never published. */
function publicRpcUrl({ config }: Context, chainId: number): string | null {
  return config.demo && chainId === localChainId ? `${config.http.publicUrl}/dev/chain` : null
}
