import type { Activity, AuditAction, RefusalCode, SecurityCategory } from '@tocsin/protocol'
import { eq, sql } from 'drizzle-orm'
import type { Queryable } from './db/database.ts'
import { accounts } from './db/schema/accounts.ts'
import { securityEvents, securityOutbox } from './db/schema/security.ts'
import { storableText } from './storable-text.ts'
import { isUuid } from './uuid.ts'

/** Failed attempts on a known account. They have no entry in the activity log. */
export type FailureKind = 'sign_in_failed' | 'factor_failed'
export type SecurityKind = Activity['kind'] | AuditAction | RefusalCode | FailureKind | 'suppressed' | 'account_deleted'

/**
 * Maximum length of `network` and `detail`, in UTF-16 code units. A detail can quote a request, for
 * example as the reason why a passkey was refused.
 */
const MAX_DETAIL = 300

export interface NewSecurityEvent {
  at: Date
  category: SecurityCategory
  kind: SecurityKind
  accountId?: string | null | undefined
  /** Another account that the event concerns. */
  subjectId?: string | null | undefined
  network?: string | undefined
  /** Must not contain personal data: events outlive the account. */
  detail?: string
  requestId?: string | undefined
  /** True if the caller has already written the line of the diagnostic log. */
  isLogged?: boolean
}

/**
 * Queues an event. It is stored soon afterwards, outside of the caller's transaction. The caller
 * never waits for the database.
 */
export type QueueSecurityEvent = (event: NewSecurityEvent) => void

/**
 * Adds events to the security log. Call this in the transaction of the change. The leader of the
 * job `securityLog` then writes the events to the diagnostic log and sends them to the syslog
 * receiver. Control characters in texts become spaces, because PostgreSQL does not store NUL.
 */
export async function recordSecurityEvents(tx: Queryable, events: readonly NewSecurityEvent[]): Promise<void> {
  if (events.length === 0) return
  const selectSecurityId = (id: string | null | undefined) =>
    id ? sql`(select ${accounts.securityId} from ${accounts} where ${eq(accounts.id, id)})` : null
  const rows = await tx
    .insert(securityEvents)
    .values(
      events.map(({ at, category, kind, accountId, subjectId, network, detail, requestId }) => ({
        at,
        category,
        kind,
        accountRef: selectSecurityId(accountId),
        subjectRef: selectSecurityId(subjectId),
        network: network === undefined ? null : storableText(network, MAX_DETAIL),
        detail: storableText(detail ?? '', MAX_DETAIL),
        requestId: requestId ?? null,
      })),
    )
    .returning({ id: securityEvents.id })
  const outgoing = rows.flatMap(({ id }, index) => [
    { eventId: id, target: 'syslog' as const },
    ...(events[index]?.isLogged ? [] : [{ eventId: id, target: 'line' as const }]),
  ])
  await tx.insert(securityOutbox).values(outgoing)
}

/** Categories of the activities that are added to the security log. */
const activityCategories: Partial<Record<Activity['kind'], SecurityCategory>> = {
  account_created: 'access',
  signed_in: 'sign-in',
  signed_out: 'sign-in',
  session_ended: 'sign-in',
  email_verified: 'access',
  email_changed: 'access',
  password_changed: 'access',
  wallet_proved: 'access',
  wallet_unlinked: 'access',
  identity_linked: 'access',
  identity_unlinked: 'access',
  api_key_created: 'access',
  api_key_revoked: 'access',
  enrolment_code_used: 'access',
  factor_added: 'access',
  factor_removed: 'access',
  recovery_code_used: 'access',
  recovery_codes_replaced: 'access',
  factor_reset_requested: 'access',
  factor_reset_cancelled: 'access',
}

/**
 * Kinds of activities whose text contains an email address or a text of the owner. Their security
 * events have no detail.
 */
const KINDS_WITH_PERSONAL_DETAIL = new Set<Activity['kind']>([
  'email_verified',
  'email_changed',
  'identity_linked',
  'identity_unlinked',
  'api_key_created',
  'api_key_revoked',
])

/** Returns the security event of an activity, or null if the activity does not concern access. */
export function securityEventOfActivity(activity: {
  accountId: string
  kind: Activity['kind']
  detail: string
  at: Date
  network?: string | undefined
}): NewSecurityEvent | null {
  const { accountId, kind, detail, at, network } = activity
  const category = activityCategories[kind]
  if (!category) return null
  return { at, category, kind, accountId, network, detail: KINDS_WITH_PERSONAL_DETAIL.has(kind) ? '' : detail }
}

/**
 * Returns the security event of an audit entry. The event has only a part of the details. The
 * request id identifies the audit entry, which has all of them.
 */
export function securityEventOfAudit(entry: {
  actorId: string | null
  action: AuditAction
  subject: string | null
  requestId: string
  at: Date
}): NewSecurityEvent {
  const { actorId, action, subject, requestId, at } = entry
  const subjectId = subject !== null && isUuid(subject) ? subject : null
  const isAlarm = action === 'takeover_suspected'
  return {
    at,
    category: isAlarm ? 'alarm' : 'admin',
    kind: action,
    accountId: isAlarm ? subjectId : actorId,
    subjectId: isAlarm ? null : subjectId,
    detail: subjectId === null ? (subject ?? '') : '',
    requestId,
  }
}
