import { recordActivity } from '../../activity-log.ts'
import { recordAudit } from '../../audit-log.ts'
import type { Tx } from '../../db/database.ts'
import { type Actor, requireActor } from '../../http/route.ts'

/** The session that changes the channels of its account, and the id of the request. */
export interface Owner extends Pick<Actor, 'accountId' | 'sessionId'> {
  requestId: string
}

/** Returns the owner for a request to a route that requires authentication. */
export function getOwner(input: { actor: Actor | null; request: { id: string } }): Owner {
  const { accountId, sessionId } = requireActor(input)
  return { accountId, sessionId, requestId: input.request.id }
}

interface Change {
  action?: 'channel_added' | 'channel_deleted' | 'channel_changed'
  /** Absent if the change is about several destinations or the private feed. */
  destinationId?: string
  /**
   * Describes the change for the audit log. Must not contain names and addresses, because entries
   * of the audit log outlive the account.
   */
  what: string
  /** The sentence for the account's history. */
  detail: string
  at: Date
}

/** Adds a change to the history of the account and to the audit log. */
export async function recordChange(
  tx: Tx,
  { accountId, requestId }: Omit<Owner, 'sessionId'>,
  change: Change,
): Promise<void> {
  const { action = 'channel_changed', destinationId, what, detail, at } = change
  await recordActivity(tx, { accountId, kind: 'channel_changed', detail, at })
  const facts = { change: what, ...(destinationId === undefined ? {} : { destinationId }) }
  await recordAudit(tx, { actorId: accountId, requestId, action, subject: accountId, detail: facts, at })
}
