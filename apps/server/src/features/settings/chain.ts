import { getChain, supportedChainIds } from '@tocsin/protocol'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import { CHAIN_SETTING, findPaymentChain, storedChain } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { lockSetting, saveSetting } from '../../db/setting.ts'
import { Refusal } from '../../refusal.ts'

interface ChainChange {
  by: AuditActor
  value: string
  description: string
}

/**
 * Selects the chain for new payments. Earlier payments stay on their chain.
 * @returns the selected chain
 * @throws Refusal chain_unchanged, chain_unsupported, chain_not_in_demo, change_not_approved
 */
export async function changeChain(ctx: Context, { by, value, description }: ChainChange) {
  const chainId = parseChainId(value)
  if (ctx.config.twoAdmins.isOn) {
    throw new Refusal('change_not_approved', 'Two admins have to approve a change of the chain. Propose it first.')
  }
  const now = ctx.clock.now()
  const chosenChain = await ctx.db.transaction(async (tx) => {
    await lockSetting(tx, CHAIN_SETTING)
    const formerChain = await findPaymentChain(ctx, tx)
    if (chainId === formerChain.id) throw new Refusal('chain_unchanged', 'Chain ID is already set to this value.')
    assertSelectable(ctx, chainId)
    const detail = { from: formerChain.id, to: chainId }
    const reason = description === '' ? undefined : description
    await recordAudit(tx, { ...by, action: 'chain_changed', subject: CHAIN_SETTING, reason, detail, at: now })
    await selectChain(ctx, tx, { chainId, description })
    return getChain(chainId)
  })
  // Wait until this instance has the new configuration, so that the next request gets it.
  await ctx.notifications.catchUp()
  return chosenChain
}

/** Saves the selection without checking it. */
export async function selectChain(
  ctx: Context,
  tx: Tx,
  { chainId, description }: { chainId: number; description: string },
): Promise<void> {
  await saveSetting(tx, CHAIN_SETTING, storedChain.parse({ chainId, description }), ctx.clock.now())
  await ctx.notifications.notify(tx, 'settings', CHAIN_SETTING)
}

/** Parses a chain id. Returns 0, which is never a supported chain, for any other text. */
export function parseChainId(value: string): number {
  return /^[1-9]\d{0,9}$/.test(value) ? Number(value) : 0
}

/** @throws Refusal chain_unsupported, chain_not_in_demo */
export function assertSelectable({ config }: Context, chainId: number): void {
  const configuredChainId = config.payment.chainId
  if (!supportedChainIds.includes(chainId) && chainId !== configuredChainId) {
    throw new Refusal('chain_unsupported', 'This chain is not supported.')
  }
  if (config.demo && chainId !== configuredChainId) {
    throw new Refusal('chain_not_in_demo', 'This is a demo on a local chain: it can’t be pointed at a real one.')
  }
}
