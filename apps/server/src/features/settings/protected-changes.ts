import { checksumAddress } from '@tocsin/proof'
import type { ProposeChangeRequest } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { eq, isNull } from 'drizzle-orm'
import { type AuditActor, operator, recordAudit, schedule } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { protectedChanges } from '../../db/schema/protected-changes.ts'
import { protectedChangeMail } from '../../mail/protected-change-mails.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findAccounts, listAdminAddresses } from './admin-accounts.ts'
import { findApproved, findCurrentValue, lockApproved, saveApproved } from './approved-values.ts'
import { assertSelectable, selectChain } from './chain.ts'
import { assertApprovable, type ChangeRow, changeEnded, decideOutcome, formatTarget } from './protected-change.ts'

/**
 * @throws Refusal two_admins_off, change_pending, chain_unchanged, value_unchanged,
 * chain_unsupported, chain_not_in_demo, malformed
 */
export async function proposeChange(ctx: Context, by: AuditActor, request: ProposeChangeRequest): Promise<ChangeRow> {
  if (!ctx.config.twoAdmins.isOn) {
    throw new Refusal('two_admins_off', 'The two-admin rule is off on this server (TWO_ADMINS).')
  }
  if (by.actorId === null) throw new Error('Only admins propose changes')
  const proposedBy = by.actorId
  const { kind, reason } = request
  const chainId = kind === 'treasury' ? request.chainId : null
  const toValue = kind === 'chain' ? String(request.chainId) : parseAddress(request.address)
  const target = formatTarget(kind, chainId)
  return ctx.db.transaction(async (tx) => {
    await lockApproved(tx)
    const [openChange] = (await listOpenChanges(tx)).filter((change) => change.target === target)
    if (openChange) throw new Refusal('change_pending', 'There is an open change of the same setting. Cancel it first.')
    const fromValue = await findCurrentValue(ctx, tx, { kind, chainId })
    if (fromValue === toValue && kind === 'chain') {
      throw new Refusal('chain_unchanged', 'Chain ID is already set to this value.')
    }
    if (fromValue === toValue) throw new Refusal('value_unchanged', 'This address is already in use.')
    if (kind === 'chain') assertSelectable(ctx, request.chainId)
    const proposedAt = ctx.clock.now()
    const values = { kind, target, chainId, fromValue, toValue, reason, proposedBy, proposedAt }
    const [change] = await tx.insert(protectedChanges).values(values).returning()
    if (!change) throw new Error('The change was not inserted')
    await recordStep(ctx, tx, { change, by, action: 'change_proposed' })
    return change
  })
}

/**
 * Approves a change that another admin has proposed. It takes effect after the delay.
 * @throws Refusal not_found, own_change, change_approved, change_ended
 */
export async function approveChange(ctx: Context, by: AuditActor, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockApproved(tx)
    const foundChange = await getChange(tx, id)
    const approvedAt = ctx.clock.now()
    assertApprovable(foundChange, by.actorId, approvedAt)
    const effectiveAt = new Date(approvedAt.getTime() + ctx.config.twoAdmins.delayHours * HOUR_MS)
    const change = { ...foundChange, approvedBy: by.actorId, approvedAt, effectiveAt }
    await tx
      .update(protectedChanges)
      .set({ approvedBy: by.actorId, approvedAt, effectiveAt })
      .where(eq(protectedChanges.id, id))
    await recordStep(ctx, tx, { change, by, action: 'change_approved' })
  })
}

/** @throws Refusal not_found, change_ended */
export async function cancelChange(ctx: Context, by: AuditActor, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockApproved(tx)
    const change = await getChange(tx, id)
    if (change.endedAt) throw changeEnded()
    await endChange(ctx, tx, { change, by, outcome: 'cancelled' })
  })
}

function parseAddress(address: string): string {
  try {
    return checksumAddress(address)
  } catch {
    throw new Refusal('malformed', 'This address is mistyped: its capital letters do not match the EIP-55 checksum.')
  }
}

async function getChange(tx: Tx, id: string): Promise<ChangeRow> {
  const [change] = isUuid(id) ? await tx.select().from(protectedChanges).where(eq(protectedChanges.id, id)) : []
  if (!change) throw new Refusal('not_found', 'Change not found.')
  return change
}

function listOpenChanges(tx: Queryable): Promise<ChangeRow[]> {
  return tx.select().from(protectedChanges).where(isNull(protectedChanges.endedAt))
}

/**
 * Applies changes that are due, and ends changes that were not approved in time. Ends all open
 * changes if the server was last started without the two-admin rule, because no page shows open
 * changes then.
 */
export async function applyDueChanges(ctx: Context): Promise<void> {
  if ((await listOpenChanges(ctx.db)).length === 0) return
  await ctx.db.transaction(async (tx) => {
    await lockApproved(tx)
    const isSwitchedOff = (await findApproved(tx))?.isOn === false
    for (const change of await listOpenChanges(tx)) {
      const people = await findAccounts(tx, [change.proposedBy, change.approvedBy])
      const outcome = isSwitchedOff
        ? 'void'
        : decideOutcome(change, {
            now: ctx.clock.now(),
            current: await findCurrentValue(ctx, tx, change),
            proposer: people.get(change.proposedBy),
            approver: people.get(change.approvedBy ?? ''),
          })
      if (outcome === null) continue
      if (outcome === 'applied') await applyChange(ctx, tx, change)
      await endChange(ctx, tx, { change, by: schedule, outcome })
    }
  })
}

async function applyChange(ctx: Context, tx: Tx, change: ChangeRow): Promise<void> {
  const { kind, chainId, toValue, reason } = change
  const now = ctx.clock.now()
  if (kind === 'chain') return selectChain(ctx, tx, { chainId: Number(toValue), description: reason })
  const approvedValues = await findApproved(tx)
  if (!approvedValues) {
    throw new Refusal('two_admins_off', 'No value is approved yet. Start the server once with TWO_ADMINS=true.')
  }
  const treasuries =
    kind === 'treasury' ? { ...approvedValues.treasuries, [String(chainId)]: toValue } : approvedValues.treasuries
  await saveApproved(
    tx,
    { ...approvedValues, treasuries, signer: kind === 'signer' ? toValue : approvedValues.signer },
    now,
  )
}

/**
 * Sets an approved value immediately, for an operator's command. While there are fewer than two
 * admins, this is the only way to change the value. The change is announced like an approved one.
 */
export async function forceChange(
  ctx: Context,
  request: { kind: 'treasury' | 'signer'; chainId: number | null; toValue: string; reason: string },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockApproved(tx)
    const now = ctx.clock.now()
    const target = formatTarget(request.kind, request.chainId)
    for (const change of await listOpenChanges(tx)) {
      if (change.target === target) await endChange(ctx, tx, { change, by: operator, outcome: 'void' })
    }
    const fromValue = await findCurrentValue(ctx, tx, request)
    const proposedBy = '00000000-0000-0000-0000-000000000000'
    const values = { ...request, target, fromValue, proposedBy, proposedAt: now, effectiveAt: now }
    const [change] = await tx.insert(protectedChanges).values(values).returning()
    if (!change) throw new Error('The change was not inserted')
    await applyChange(ctx, tx, change)
    await endChange(ctx, tx, { change, by: operator, outcome: 'forced' })
  })
}

async function endChange(
  ctx: Context,
  tx: Tx,
  { change, by, outcome }: { change: ChangeRow; by: AuditActor; outcome: NonNullable<ChangeRow['outcome']> },
): Promise<void> {
  const endedAt = ctx.clock.now()
  await tx.update(protectedChanges).set({ endedAt, outcome }).where(eq(protectedChanges.id, change.id))
  await recordStep(ctx, tx, { change: { ...change, endedAt, outcome }, by, action: `change_${outcome}` })
}

interface ChangeStep {
  change: ChangeRow
  by: AuditActor
  action: 'change_proposed' | 'change_approved' | `change_${NonNullable<ChangeRow['outcome']>}`
}

/** Records a step in the audit log and emails it to all owners and admins. */
async function recordStep(ctx: Context, tx: Tx, { change, by, action }: ChangeStep): Promise<void> {
  const { kind, chainId, fromValue, toValue, reason, target } = change
  const at = ctx.clock.now()
  const detail = { kind, ...(chainId === null ? {} : { chainId }), from: fromValue, to: toValue }
  await recordAudit(tx, { ...by, action, subject: target, reason, detail, at })
  for (const to of await listAdminAddresses(tx)) {
    await ctx.sendMail(tx, protectedChangeMail(to, { change, action, at }, ctx.config.http.publicUrl))
  }
}
