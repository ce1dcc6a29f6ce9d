import { getChain, supportedChainIds } from '@tocsin/protocol'
import { type Auditor, recordAudit } from '../../audit-log.ts'
import { CHAIN_SETTING, findPaymentChain, storedChain } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { lockSetting, saveSetting } from '../../db/setting.ts'
import { Refusal } from '../../refusal.ts'

interface ChainChange {
  by: Auditor
  value: string
  description: string
}

/**
 * Selects the chain for new payments. Earlier payments stay on their chain.
 * @returns the selected chain
 * @throws Refusal chain_unchanged, chain_unsupported, chain_not_in_demo
 */
export async function changeChain(ctx: Context, { by, value, description }: ChainChange) {
  const chainId = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : 0
  const now = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    await lockSetting(tx, CHAIN_SETTING)
    const before = await findPaymentChain(ctx, tx)
    if (chainId === before.id) throw new Refusal('chain_unchanged', 'Chain ID is already set to this value.')
    assertSelectable(ctx, chainId)
    await saveSetting(tx, CHAIN_SETTING, storedChain.parse({ chainId, description }), now)
    const detail = { from: before.id, to: chainId }
    const reason = description === '' ? undefined : description
    await recordAudit(tx, { ...by, action: 'chain_changed', subject: CHAIN_SETTING, reason, detail, at: now })
    await ctx.wake.notify(tx, 'settings', CHAIN_SETTING)
    return getChain(chainId)
  })
}

function assertSelectable({ config }: Context, chainId: number): void {
  const own = config.payment.chainId
  if (!supportedChainIds.includes(chainId) && chainId !== own) {
    throw new Refusal('chain_unsupported', 'This chain is not supported.')
  }
  if (config.demo && chainId !== own) {
    throw new Refusal('chain_not_in_demo', 'This is a demo on a local chain: it can’t be pointed at a real one.')
  }
}
