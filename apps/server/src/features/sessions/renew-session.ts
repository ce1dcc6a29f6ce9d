import type { FastifyReply } from 'fastify'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { lockActor } from './lock-actor.ts'
import { createSecret, hashSecret } from './secret.ts'
import { createCookieOptions, getCookieName } from './session.ts'
import { lockSession, renewedHashes, updateSession } from './store.ts'

/** A session with a new id. `idHash` is the hash under which it is stored now. */
export interface RenewedSession {
  idHash: string
  /** Sets the new cookie. Call it after the transaction has committed. */
  setCookie(reply: FastifyReply): void
}

/**
 * Gives the session a new id when it gains rights. An attacker who knows the old id can then only
 * end the session. Data of the session moves to the new id. If a concurrent request of the same
 * browser has already renewed the session, the cookie of that renewal is used and no second one is
 * created. Locks the account.
 * @param newTimes when the user reauthenticated, and whether with a second factor; empty if the
 *   user did not reauthenticate
 */
export async function renewSession(
  ctx: Context,
  tx: Tx,
  actor: Actor,
  newTimes: { authenticatedAt?: Date; factorAt?: Date } = {},
): Promise<RenewedSession> {
  await lockActor(ctx, tx, actor)
  const session = await lockSession(tx, actor.sessionId)
  if (!session) throw new Refusal('not_signed_in', 'Sign in first')
  if (session.idHash !== actor.sessionIdHash) {
    if (Object.keys(newTimes).length > 0) await updateSession(tx, session.id, newTimes)
    return { idHash: session.idHash, setCookie: () => {} }
  }
  const sessionCookie = createSecret()
  const idHash = hashSecret(sessionCookie)
  await updateSession(tx, session.id, { ...renewedHashes(session, idHash), ...newTimes })
  const remainingMs = session.expiresAt.getTime() - ctx.clock.now().getTime()
  const options = createCookieOptions(ctx.config, session.remembered ? remainingMs : null)
  return {
    idHash,
    setCookie: (reply) => void reply.setCookie(getCookieName(ctx.config), sessionCookie, options),
  }
}
