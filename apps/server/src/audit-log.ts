import type { AuditAction } from '@tocsin/protocol'
import type { Queryable } from './db/database.ts'
import { auditEntries } from './db/schema.ts'
import type { Actor } from './http/route.ts'

/** Who asks for what is audited, and in which request. */
export interface Auditor {
  /** Null for the operator's command line. */
  actorId: string | null
  requestId: string
}

export interface NewAuditEntry extends Auditor {
  action: AuditAction
  /** The id of an account, an alert, a payment or a purchase, or the name of a setting. */
  subject: string | null
  reason?: string | undefined
  /** What else matters of it. Nothing that tells who somebody is, and no secret: it is kept for ever. */
  detail?: Record<string, string | number | boolean | null>
  at: Date
}

/** Whoever runs commands on the server's machine: it asks for no name. */
export const operator: Auditor = { actorId: null, requestId: 'command line' }

/** Adds a line to the audit trail, in the transaction of what it tells of: either both are there or none. */
export async function recordAudit(tx: Queryable, entry: NewAuditEntry): Promise<void> {
  await tx.insert(auditEntries).values({ ...entry, reason: entry.reason ?? null, detail: entry.detail ?? {} })
}

/** The caller of a guarded route. */
export function auditorOf({ actor, request }: { actor: Actor | null; request: { id: string } }): Auditor {
  if (!actor) throw new Error('What is audited was asked for by nobody')
  return { actorId: actor.accountId, requestId: request.id }
}
