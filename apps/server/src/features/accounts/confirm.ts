import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { getAccount } from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { type RenewedSession, renewSession } from '../sessions/renew-session.ts'
import { assertLongEnoughFor } from './password.ts'
import { verifyPassword } from './verify-password.ts'

/**
 * Reauthenticates the session with the account password. Wrong passwords count towards the sign-in
 * limits.
 */
export async function confirmWithPassword(
  ctx: Context,
  actor: Actor,
  password: string,
  browser: Browser,
): Promise<RenewedSession> {
  const attempt = { identifier: actor.email ?? actor.accountId, password, browser }
  const account = await verifyPassword(ctx, attempt, () => getAccount(ctx.db, actor.accountId))
  if (!account) throw new Refusal('invalid_credentials', 'This is not your password.')
  assertLongEnoughFor(account.role, password)
  return ctx.db.transaction((tx) => renewSession(ctx, tx, actor, { authenticatedAt: ctx.clock.now() }))
}
