import { type AuditAction, type AuditEntry, auditActions, getChain, plans, type SecurityEvent } from '@tocsin/protocol'
import { formatFullDateTime } from '../../ui/format-time.ts'
import { numberLocale } from '../../ui/locale.ts'
import { formatActivityKind } from '../account/security-texts.ts'
import { formatItoAmount } from './ito-amount.ts'

export const actionLabels: Record<AuditAction, string> = {
  subscription_extended: 'Subscription extended',
  subscription_cancelled: 'Subscription cancelled',
  user_suspended: 'User suspended',
  user_unsuspended: 'User unsuspended',
  sessions_ended: 'Sessions ended',
  role_changed: 'Role changed',
  users_exported: 'Users exported',
  payments_exported: 'Payments exported',
  payment_credited: 'Payment credited',
  refund_recorded: 'Refund recorded',
  payment_refund_noted: 'Refund noted',
  payment_ignored: 'Payment ignored',
  order_refund_noted: 'Refund of a purchase noted',
  order_ignored: 'Purchase ignored',
  reconciliation_started: 'Reconciliation started',
  chain_changed: 'Chain changed',
  change_proposed: 'Change proposed',
  change_approved: 'Change approved',
  change_applied: 'Approved change applied',
  change_cancelled: 'Change cancelled',
  change_expired: 'Proposed change expired',
  change_void: 'Change not applied',
  change_forced: 'Change forced on the server',
  two_admins_enabled: 'Two-admin rule switched on',
  two_admins_disabled: 'Two-admin rule switched off',
  rate_changed: 'ITO exchange rate changed',
  coupon_created: 'Coupon created',
  coupon_ended: 'Coupon ended',
  plan_granted: 'Plan granted',
  announcement_created: 'Announcement created',
  announcement_ended: 'Announcement ended',
  message_sent: 'Message sent',
  message_cancelled: 'Message cancelled',
  letter_answered: 'Support message replied to',
  letter_noted: 'Note on a support message',
  letter_changed: 'Support message changed',
  alert_scheduled: 'Alert scheduled',
  scheduled_alert_changed: 'Scheduled alert changed',
  scheduled_alert_cancelled: 'Scheduled alert cancelled',
  feed_saved: 'Feed saved',
  feed_tested: 'Feed tested',
  alert_created: 'Alert created',
  alert_broadcast: 'Alert broadcast',
  alert_corrected: 'Alert corrected',
  alert_retracted: 'Alert retracted',
  admin_created: 'Admin created',
  password_reset: 'Password reset',
  audit_exported: 'Audit log exported',
  security_log_exported: 'Security log exported',
  log_resumed: 'Log resumed',
  log_adopted: 'Log completed from a mirror',
  log_succeeded: 'Successor log started',
  signer_rotated: 'Signing key rotated',
  backup_restored: 'Backup restored',
  api_key_created: 'API key created',
  api_key_revoked: 'API key revoked',
  channel_added: 'Channel added',
  channel_changed: 'Channel changed',
  channel_deleted: 'Channel deleted',
  enrolment_code_issued: 'Enrolment code issued',
  factor_removed: 'Second factor removed',
  factor_reset_requested: 'Reset of second factors requested',
  factor_reset_cancelled: 'Reset of second factors cancelled',
  factor_reset_applied: 'Second factors reset',
  takeover_suspected: 'Takeover suspected',
}

/**
 * Returns the label of a security event. An action of an admin has the same label as in the audit
 * log. Other events can have kinds of the same name, so the category decides.
 */
export function formatSecurityKind({ category, kind }: Pick<SecurityEvent, 'category' | 'kind'>): string {
  const action = category === 'admin' ? auditActions.find((one) => one === kind) : undefined
  return action === undefined ? formatActivityKind(kind) : actionLabels[action]
}

/**
 * Returns the name of the account that made the change, or "A deleted account". For changes that no
 * account made, returns the origin that the request id names.
 */
export function formatActor({ actor, requestId }: Pick<AuditEntry, 'actor' | 'requestId'>): string {
  if (actor !== null) return actor.name ?? 'A deleted account'
  if (requestId === 'command line') return 'Command line'
  return requestId === 'mailed link' ? 'Link in an email' : 'The server'
}

/**
 * Details of an entry: "hours 24, ends at 24 Nov 2026 04:39:12 UTC". Leaves out the account, which
 * is shown elsewhere in the row.
 */
export function formatDetails({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): string {
  if (action === 'feed_tested') {
    const { success, saved, ...rest } = detail
    const testText = `${success === true ? 'Succeeded' : 'Failed'}, with ${saved === true ? 'the saved settings' : 'unsaved settings'}`
    return [testText, ...listDetails(action, rest)].join(', ')
  }
  return listDetails(action, detail).join(', ')
}

function listDetails(action: AuditAction, detail: AuditEntry['detail']): string[] {
  return Object.entries(detail)
    .filter(([key, value]) => value !== null && key !== 'accountId')
    .map(([key, value]) => describeDetail(action, key, value))
}

/** Formats one detail: "hours 24", "enabled", "amount 9.5 ITO" or "from Local Chain". */
function describeDetail(action: AuditAction, key: string, value: unknown): string {
  if (key === 'broadcast') return value === true ? 'Sent' : 'Only created, not sent'
  const words = formatKey(key)
  if (typeof value === 'boolean') return `${value ? '' : 'not '}${words.replace(/^is /, '')}`
  if (typeof value === 'string' && / wei$/.test(words) && /^\d+$/.test(value))
    return `${words.replace(/ wei$/, '')} ${formatItoAmount(value)}`
  if (key === 'planId') return `plan ${plans.find(({ id }) => id === value)?.name ?? value}`
  if (typeof value === 'string' && / at$/.test(words)) return `${words} ${formatFullDateTime(Date.parse(value))}`
  if (typeof value !== 'number') return `${words} ${value}`
  // By default, `toLocaleString` rounds to three decimal places. Exchange rates can have more.
  const number = value.toLocaleString(numberLocale, { maximumFractionDigits: 20 })
  return `${words} ${action === 'chain_changed' ? getChain(value).name : number}`
}

/** Turns "logIndex" into "log index". */
function formatKey(key: string): string {
  return key.replace(/[A-Z]/g, (capitalLetter) => ` ${capitalLetter.toLowerCase()}`).replaceAll('_', ' ')
}
