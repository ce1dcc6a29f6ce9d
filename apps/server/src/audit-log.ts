import type { AuditAction } from '@tocsin/protocol'
import { eq } from 'drizzle-orm'
import type { Queryable } from './db/database.ts'
import { sessions } from './db/schema/accounts.ts'
import { auditEntries } from './db/schema/audit.ts'
import type { Actor } from './http/route.ts'
import { Refusal } from './refusal.ts'
import { recordSecurityEvents, securityEventOfAudit } from './security-events.ts'

/** The actor of an audited action and the id of its request. */
export interface AuditActor {
  /** Null for operator commands, scheduled changes, the takeover alarm and mailed links. */
  actorId: string | null
  /** Absent if the actor has no session, such as an operator command or a scheduled job. */
  sessionId?: string
  requestId: string
}

export interface NewAuditEntry extends AuditActor {
  action: AuditAction
  /** Id of an account, alert, payment or purchase, or the name of a setting. */
  subject: string | null
  reason?: string | undefined
  /**
   * Further details. Must not contain personal data or secrets, because entries outlive deleted
   * accounts.
   */
  detail?: Record<string, string | number | boolean | null>
  at: Date
}

/** Actor of changes that are applied when they are due. */
export const schedule: AuditActor = { actorId: null, requestId: 'schedule' }

/** Actor of the commands that the operator runs on the server. They have no session. */
export const operator: AuditActor = { actorId: null, requestId: 'command line' }

/**
 * Adds an audit entry and its security event. Call this in the transaction of the change, so that
 * the change, the entry and the event are stored together or not at all. If the change ends the
 * actor's own session, call this first, because the session must still exist.
 * @throws Refusal not_signed_in if the actor's session has ended while the change waited for a lock
 */
export async function recordAudit(tx: Queryable, { sessionId, ...entry }: NewAuditEntry): Promise<void> {
  const row = { ...entry, reason: entry.reason ?? null, detail: entry.detail ?? {} }
  const [sessionCount] = await Promise.all([
    sessionId === undefined ? 1 : tx.$count(sessions, eq(sessions.id, sessionId)),
    tx.insert(auditEntries).values(row),
  ])
  if (sessionCount === 0) throw new Refusal('not_signed_in', 'Sign in first')
  await recordSecurityEvents(tx, [securityEventOfAudit(entry)])
}

/** Returns the actor for a request to a route that requires authentication. */
export function getAuditActor({ actor, request }: { actor: Actor | null; request: { id: string } }): AuditActor {
  if (!actor) throw new Error('An audited route was called without an actor')
  return { actorId: actor.accountId, sessionId: actor.sessionId, requestId: request.id }
}
