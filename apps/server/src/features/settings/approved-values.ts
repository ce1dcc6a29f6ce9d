import { type Address, checksumAddress } from '@tocsin/proof'
import { z } from 'zod'
import { operator, recordAudit } from '../../audit-log.ts'
import { findPaymentChain, listConfiguredChains } from '../../chain/payment-chains.ts'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { findSetting, lockSetting, saveSetting } from '../../db/setting.ts'
import { ruleChangedMail } from '../../mail/protected-change-mails.ts'
import { Refusal } from '../../refusal.ts'
import { listAdminAddresses } from './admin-accounts.ts'
import type { ChangeRow } from './protected-change.ts'

const APPROVED_SETTING = 'approved_values'

const storedValues = z.object({
  /** False if the server was last started without the two-admin rule. */
  isOn: z.boolean(),
  treasuries: z.record(z.string(), z.string()),
  signer: z.string().nullable(),
})
export type ApprovedValues = z.infer<typeof storedValues>

export async function findApproved(tx: Queryable): Promise<ApprovedValues | null> {
  const savedSetting = await findSetting(tx, APPROVED_SETTING)
  return savedSetting === null ? null : storedValues.parse(savedSetting.value)
}

/**
 * Locks all protected values until the transaction ends. Every change of a protected value needs
 * this lock.
 */
export const lockApproved = (tx: Tx) => lockSetting(tx, APPROVED_SETTING)

export const saveApproved = (tx: Queryable, values: ApprovedValues, now: Date) =>
  saveSetting(tx, APPROVED_SETTING, storedValues.parse(values), now)

/**
 * Returns the current value of a protected setting: the selected chain, or the approved treasury or
 * signer. Null before the first approval.
 */
export async function findCurrentValue(
  ctx: Context,
  tx: Queryable,
  { kind, chainId }: Pick<ChangeRow, 'kind' | 'chainId'>,
): Promise<string | null> {
  if (kind === 'chain') return String((await findPaymentChain(ctx, tx)).id)
  const approvedValues = await findApproved(tx)
  return (kind === 'signer' ? approvedValues?.signer : approvedValues?.treasuries[String(chainId)]) ?? null
}

/**
 * Returns the context that the server runs with. With the two-admin rule, payments go to the
 * approved treasuries, even if the environment names others. The first start with the rule approves
 * the treasuries and the signing key of the environment. Switching the rule on or off is recorded
 * in the audit log and emailed to all admins.
 * @throws Error if the treasury of CHAIN_ID was never approved
 */
export async function applyApprovedValues(ctx: Context): Promise<Context> {
  const { isOn } = ctx.config.twoAdmins
  const approvedValues = await ctx.db.transaction(async (tx) => {
    await lockApproved(tx)
    const storedApproval = await findApproved(tx)
    if (!isOn && !storedApproval?.isOn) return null
    const updatedValues = { ...(storedApproval ?? adoptConfiguredValues(ctx)), isOn }
    if (storedApproval?.isOn !== isOn) await recordRuleSwitch(ctx, tx, updatedValues)
    return isOn ? updatedValues : null
  })
  return approvedValues ? { ...ctx, config: withTreasuries(ctx, approvedValues) } : ctx
}

function adoptConfiguredValues({ config, signers }: Context): ApprovedValues {
  const chains = listConfiguredChains(config)
  return {
    isOn: true,
    treasuries: Object.fromEntries(chains.map(({ chainId, treasury }) => [String(chainId), treasury])),
    signer: signers.held[0]?.address ?? null,
  }
}

async function recordRuleSwitch(ctx: Context, tx: Tx, updatedValues: ApprovedValues): Promise<void> {
  const at = ctx.clock.now()
  await saveApproved(tx, updatedValues, at)
  const action = updatedValues.isOn ? 'two_admins_enabled' : 'two_admins_disabled'
  await recordAudit(tx, { ...operator, action, subject: 'two_admins', at })
  for (const to of await listAdminAddresses(tx)) {
    await ctx.sendMail(tx, ruleChangedMail(to, { isOn: updatedValues.isOn, at }, ctx.config.http.publicUrl))
  }
}

function withTreasuries({ config, logger }: Context, { treasuries }: ApprovedValues): Config {
  const applyTreasury = <C extends { chainId: number; treasury: Address }>(chain: C): C | null => {
    const approvedTreasury = treasuries[String(chain.chainId)]
    if (approvedTreasury !== chain.treasury) {
      const { chainId, treasury: configured } = chain
      logger.error(
        { chainId, configured, approved: approvedTreasury },
        'the configured treasury is not used: two admins have not approved it',
      )
    }
    return approvedTreasury === undefined ? null : { ...chain, treasury: checksumAddress(approvedTreasury) }
  }
  const payment = applyTreasury(config.payment)
  if (payment === null) {
    throw new Error(
      `Two admins have not approved a treasury for chain ${config.payment.chainId} (CHAIN_ID). Start with the former CHAIN_ID and propose it in the admin area, or run: tocsin protected set`,
    )
  }
  const otherPaymentChains = config.otherPaymentChains.map(applyTreasury).filter((chain) => chain !== null)
  return { ...config, payment, otherPaymentChains }
}

/**
 * Checks that the key may become the signer. Callers must hold the lock of the log.
 * @throws Refusal change_not_approved if the two-admin rule is on and the key was not approved
 */
export async function assertSignerApproved(ctx: Context, tx: Queryable, address: Address): Promise<void> {
  if (!ctx.config.twoAdmins.isOn) return
  const approvedValues = await findApproved(tx)
  if (approvedValues?.signer === address) return
  throw new Refusal(
    'change_not_approved',
    `Two admins have not approved ${address} as the signing key. Propose it in the admin area (Dashboard, Chain Configuration).`,
  )
}
