import type { AuditAction, AuditEntry } from '@tocsin/protocol'
import { adminSystemTexts } from '../../texts/admin-system.tsx'
import { numberLocale } from '../../texts/language.ts'

const texts = adminSystemTexts.auditWords

export const actionWords: Record<AuditAction, string> = {
  subscription_extended: texts.subscriptionExtended,
  subscription_cancelled: texts.subscriptionCancelled,
  user_suspended: texts.userSuspended,
  user_unsuspended: texts.userLetInAgain,
  sessions_ended: texts.sessionsEnded,
  role_changed: texts.roleChanged,
  users_exported: texts.usersExported,
  payment_credited: texts.paymentCredited,
  payment_refund_noted: texts.refundNoted,
  payment_ignored: texts.paymentIgnored,
  order_refund_noted: texts.refundOfAPurchaseNoted,
  order_ignored: texts.purchaseSetAside,
  reconciliation_started: texts.reconciliationStarted,
  chain_changed: texts.chainChanged,
  feed_saved: texts.feedSaved,
  feed_tested: texts.feedTested,
  alert_created: texts.alertCreated,
  alert_broadcast: texts.alertBroadcast,
  alert_corrected: texts.alertCorrected,
  alert_retracted: texts.alertRetracted,
  admin_created: texts.adminCreated,
  password_reset: texts.passwordReset,
  audit_exported: texts.auditTrailExported,
}

/** The command line has no account; one that is gone has no name any more. */
export function actorOf({ actor }: Pick<AuditEntry, 'actor'>): string {
  if (actor === null) return texts.commandLine
  return actor.name ?? texts.deletedAccount
}

/** "hours 24, endsAt 2026-11-24T04:39:12.000Z" */
export function detailOf({ detail }: Pick<AuditEntry, 'detail'>): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => say(wordsOf(key), value))
    .join(', ')
}

/** "hours 24", "enabled", "not saved" */
function say(words: string, value: unknown): string {
  if (typeof value === 'boolean') return `${value ? '' : 'not '}${words.replace(/^is /, '')}`
  return `${words} ${typeof value === 'number' ? value.toLocaleString(numberLocale) : value}`
}

/** "logIndex" as "log index". */
function wordsOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ')
}
