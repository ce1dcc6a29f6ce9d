import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { type Account, lockAccount } from './account-store.ts'
import { isActive } from './service.ts'
import { findSession } from './store.ts'

/**
 * Locks the actor's account until the transaction ends, and then checks the session again. While
 * this call waited for the lock, a password reset, a suspension, a change of role or a logout may
 * have ended the session. These operations lock the account too. Only the deletion of expired
 * sessions and another sign-in of the same browser can still end the session before the commit.
 * @param lock lockAccountForUpdate for transactions that delete the account or change its address
 * @throws Refusal not_signed_in
 */
export async function lockActor(
  ctx: Context,
  tx: Tx,
  { accountId, sessionId }: Pick<Actor, 'accountId' | 'sessionId'>,
  lock = lockAccount,
): Promise<Account> {
  const account = await lock(tx, accountId)
  const foundSession = account && isUuid(sessionId) ? await findSession(tx, { id: sessionId }) : undefined
  if (!account || foundSession?.session.accountId !== accountId || !isActive(foundSession, ctx.clock.now())) {
    throw new Refusal('not_signed_in', 'Sign in first')
  }
  return account
}
