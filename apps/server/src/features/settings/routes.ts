import { type endpoints, getChain, supportedChainIds } from '@tocsin/protocol'
import { getAuditActor } from '../../audit-log.ts'
import { CHAIN_SETTING, findPaymentChain, isConfigured, storedChain } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { findSetting } from '../../db/setting.ts'
import type { Handler } from '../../http/route.ts'
import { changeChain as change, parseChainId } from './chain.ts'
import { proposeChange } from './protected-changes.ts'

export async function chainConfig(ctx: Context): Promise<{ chainId: string; chainName: string }> {
  const { id, name } = await findPaymentChain(ctx)
  return { chainId: String(id), chainName: name }
}

export const findChainSetting: Handler<typeof endpoints.findChainSetting> = async (ctx) => {
  const { id, name } = await findPaymentChain(ctx)
  const savedSetting = await findSetting(ctx.db, CHAIN_SETTING)
  const selectableChainIds = new Set([...supportedChainIds, ctx.config.payment.chainId, id])
  return {
    value: String(id),
    chainName: name,
    description: savedSetting === null ? '' : storedChain.parse(savedSetting.value).description,
    supported: [...selectableChainIds].map((chainId) => {
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

/** Changes the chain, or proposes the change if the two-admin rule is on. */
export const changeChain: Handler<typeof endpoints.changeChain> = async (ctx, input) => {
  const { value, description } = input.body
  const by = getAuditActor(input)
  const warning =
    'No node is configured for this chain. Payments on it are not credited until PAYMENT_CHAINS has a node for it.'
  if (ctx.config.twoAdmins.isOn) {
    const chainId = parseChainId(value)
    await proposeChange(ctx, by, { kind: 'chain', chainId, reason: description || 'No reason given' })
    const message = 'Proposed. Another admin has to approve it, and then it takes effect after a delay.'
    return { success: true, message: isConfigured(ctx.config, chainId) ? message : `${message} ${warning}` }
  }
  const { id, name } = await change(ctx, { by, ...input.body })
  const message = `Payments are made on ${name} from now on.`
  return { success: true, message: isConfigured(ctx.config, id) ? message : `${message} ${warning}` }
}
