import { type AuditAction, type AuditEntry, getChain, plans } from '@tocsin/protocol'
import { adminSystemTexts } from '../../texts/admin-system.tsx'
import { numberLocale } from '../../texts/language.ts'
import { fullMoment } from './exact-moment.tsx'
import { itoAmount } from './ito-amount.ts'

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

/** "hours 24, ends at 24 Nov 2026 04:39:12 UTC". Who got something is said elsewhere. */
export function detailOf({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): string {
  if (action === 'feed_tested') {
    return texts.testOfTheFeed({ success: detail.success === true, saved: detail.saved === true })
  }
  return Object.entries(detail)
    .filter(([key, value]) => value !== null && key !== 'accountId')
    .map(([key, value]) => say(action, key, value))
    .join(', ')
}

/** "hours 24", "enabled", "amount 9.5 ITO", "from Local Chain" */
function say(action: AuditAction, key: string, value: unknown): string {
  if (key === 'broadcast') return value === true ? texts.sent : texts.onlyCreated
  const words = wordsOf(key)
  if (typeof value === 'boolean') return `${value ? '' : 'not '}${words.replace(/^is /, '')}`
  if (typeof value === 'string' && / wei$/.test(words) && /^\d+$/.test(value))
    return `${words.replace(/ wei$/, '')} ${itoAmount(value)}`
  if (key === 'planId') return `plan ${plans.find(({ id }) => id === value)?.name ?? value}`
  if (typeof value === 'string' && / at$/.test(words)) return `${words} ${fullMoment(value)}`
  if (typeof value !== 'number') return `${words} ${value}`
  return `${words} ${action === 'chain_changed' ? getChain(value).name : value.toLocaleString(numberLocale)}`
}

/** "logIndex" as "log index". */
function wordsOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ')
}
