import type { AuditAction, AuditEntry } from '@tocsin/protocol'

export const actionWords: Record<AuditAction, string> = {
  subscription_extended: 'Subscription extended',
  subscription_cancelled: 'Subscription cancelled',
  user_suspended: 'User suspended',
  user_unsuspended: 'User let in again',
  sessions_ended: 'Sessions ended',
  role_changed: 'Role changed',
  users_exported: 'Users exported',
  payment_credited: 'Payment credited',
  payment_refund_noted: 'Refund noted',
  payment_ignored: 'Payment ignored',
  reconciliation_started: 'Reconciliation started',
  chain_changed: 'Chain changed',
  feed_saved: 'Feed saved',
  feed_tested: 'Feed tested',
  alert_created: 'Alert created',
  alert_broadcast: 'Alert broadcast',
  alert_corrected: 'Alert corrected',
  alert_retracted: 'Alert retracted',
  admin_created: 'Admin created',
  password_reset: 'Password reset',
  audit_exported: 'Audit trail exported',
}

/** The command line has no account; one that is gone has no name any more. */
export function actorOf({ actor }: Pick<AuditEntry, 'actor'>): string {
  if (actor === null) return 'Command line'
  return actor.name ?? 'A deleted account'
}

/** "hours 24, endsAt 2026-11-24T04:39:12.000Z" */
export function detailOf({ detail }: Pick<AuditEntry, 'detail'>): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${wordsOf(key)} ${typeof value === 'number' ? value.toLocaleString('en-US') : value}`)
    .join(', ')
}

/** "logIndex" as "log index". */
function wordsOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ')
}
