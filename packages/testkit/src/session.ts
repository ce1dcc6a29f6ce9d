import type { Context } from '@tocsin/server/context.ts'
import { sessions } from '@tocsin/server/db/schema/accounts.ts'

/**
 * Inserts a session that does not expire, and returns the ids of account and session as services
 * expect them.
 */
export async function startTestSession(
  { db }: Pick<Context, 'db'>,
  accountId: string,
  id: string = crypto.randomUUID(),
): Promise<{ accountId: string; sessionId: string }> {
  const [epoch, farFuture] = [new Date(0), new Date('9999-12-31')]
  await db.insert(sessions).values({
    ...{ id, accountId, idHash: `hash of ${id}`, method: 'test', userAgent: 'test', remembered: true },
    ...{ createdAt: epoch, authenticatedAt: epoch, lastSeenAt: farFuture, expiresAt: farFuture },
  })
  return { accountId, sessionId: id }
}
