import type { ProtectedChangeOutcome, ProtectedKind } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { protectedChanges } from '../../db/schema/protected-changes.ts'
import { Refusal } from '../../refusal.ts'
import { type Account, isStillPermitted } from './admin-accounts.ts'

/** The two-admin rule as pure functions. */

export type ChangeRow = typeof protectedChanges.$inferSelect

/** Time within which a second admin must approve a change. */
export const APPROVAL_TIME_MS = 7 * DAY_MS

export function formatTarget(kind: ProtectedKind, chainId: number | null): string {
  return kind === 'treasury' ? `treasury:${chainId}` : kind
}

const mayChange = (account: Account | undefined): boolean => isStillPermitted(account, 'settings.change')

/** @throws Refusal own_change, change_ended, change_approved */
export function assertApprovable(change: ChangeRow, approverId: string | null, now: Date): void {
  if (change.endedAt || now.getTime() - change.proposedAt.getTime() >= APPROVAL_TIME_MS) throw changeEnded()
  if (change.approvedAt) throw new Refusal('change_approved', 'Another admin has already approved this change.')
  if (approverId === null || approverId === change.proposedBy) {
    throw new Refusal('own_change', 'You proposed this change. Another admin has to approve it.')
  }
}

export const changeEnded = () => new Refusal('change_ended', 'This change has already been applied or ended.')

/** Decides how an open change ends now. Returns null if it stays open. */
export function decideOutcome(
  change: ChangeRow,
  facts: { now: Date; current: string | null; proposer: Account | undefined; approver: Account | undefined },
): ProtectedChangeOutcome | null {
  const { now, current, proposer, approver } = facts
  if (change.effectiveAt === null) {
    return now.getTime() - change.proposedAt.getTime() >= APPROVAL_TIME_MS ? 'expired' : null
  }
  if (now < change.effectiveAt) return null
  if (current !== change.fromValue || !mayChange(proposer) || !mayChange(approver)) return 'void'
  return 'applied'
}
