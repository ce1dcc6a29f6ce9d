import type { FastifyReply } from 'fastify'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { lockSession, updateSession } from './identity-store.ts'
import { hashSecret, newSecret } from './secret.ts'
import { cookieName, sessionCookieOptions } from './session.ts'

/** A session that has gained rights. `idHash` is what it is stored under now. */
export interface RenewedSession {
  idHash: string
  /** Hands the new cookie to the browser, once the transaction has succeeded. */
  setCookie(reply: FastifyReply): void
}

/**
 * Gives the session a new id, so that one that somebody else knows gains nothing; what belongs to the session moves with it. If another request
 * of the same browser has just done so, its cookie counts and no second one is made.
 * @param authenticatedAt when the person has now proved who they are; left out, nothing was proved
 */
export async function renewSession(
  ctx: Context,
  tx: Tx,
  actor: Actor,
  authenticatedAt?: Date,
): Promise<RenewedSession> {
  const session = await lockSession(tx, actor.sessionId)
  if (!session) throw new Refusal('not_signed_in', 'Sign in first')
  const proved = authenticatedAt ? { authenticatedAt } : {}
  if (session.idHash !== actor.sessionIdHash) {
    if (authenticatedAt) await updateSession(tx, session.id, proved)
    return { idHash: session.idHash, setCookie: () => {} }
  }
  const sessionCookie = newSecret()
  const idHash = hashSecret(sessionCookie)
  await updateSession(tx, session.id, { idHash, ...proved })
  const remainingMs = session.expiresAt.getTime() - ctx.clock.now().getTime()
  const options = sessionCookieOptions(ctx.config, session.remembered ? remainingMs : null)
  return {
    idHash,
    setCookie: (reply) => void reply.setCookie(cookieName(ctx.config), sessionCookie, options),
  }
}
