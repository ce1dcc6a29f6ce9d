import { type endpoints, getChain, supportedChainIds } from '@tocsin/protocol'
import { auditorOf } from '../../audit-log.ts'
import { CHAIN_SETTING, findPaymentChain, isConfigured, storedChain } from '../../chain/payment-chains.ts'
import { findSetting } from '../../db/setting.ts'
import type { Handler } from '../../http/route.ts'
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
