import type { IdentityProvider } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { mailWayIn } from '../../mail-way-in.ts'
import { Refusal } from '../../refusal.ts'
import { countWaysIn, deleteIdentity } from './identity-store.ts'
import { endOtherSessionsOf } from './service.ts'
import { lockAccount } from './store.ts'

/** Display names. */
export const providerNames: Record<IdentityProvider, string> = { google: 'Google', linkedin: 'LinkedIn' }

/**
 * Removes a sign-in method from the actor's account and ends all other sessions: sessions do not
 * record which method opened them, and one that the removed method opened must not outlast it.
 * Locks the account, so that concurrent calls cannot remove the last two.
 * @param remove returns false if there was nothing to remove
 * @throws Refusal last_way_in for the last method; the transaction must roll back
 */
export async function removeWayIn(ctx: Context, tx: Tx, actor: Actor, remove: () => Promise<boolean>): Promise<void> {
  const { accountId } = actor
  await lockAccount(tx, accountId)
  if (!(await remove())) throw new Refusal('not_found', 'Your account is not linked with this')
  if ((await countWaysIn(tx, accountId)) === 0) {
    throw new Refusal('last_way_in', 'This is the only way to sign in to your account. Add another one first.')
  }
  await endOtherSessionsOf(ctx, tx, actor)
}

/**
 * Like removeWayIn, but returns false instead of throwing. For methods that expired on their own.
 */
export async function removeUnlessLast(tx: Tx, accountId: string, remove: () => Promise<boolean>): Promise<boolean> {
  await lockAccount(tx, accountId)
  return (await countWaysIn(tx, accountId)) > 1 && remove()
}

export async function unlinkIdentity(ctx: Context, actor: Actor, provider: IdentityProvider): Promise<void> {
  const { accountId } = actor
  await ctx.db.transaction((tx) => removeWayIn(ctx, tx, actor, () => removeIdentity(ctx, tx, accountId, provider)))
}

/** Returns false if the account has no identity of this provider. */
export async function removeIdentity(
  ctx: Context,
  tx: Tx,
  accountId: string,
  provider: IdentityProvider,
): Promise<boolean> {
  if (!(await deleteIdentity(tx, accountId, provider))) return false
  const way = providerNames[provider]
  const detail = `${way} unlinked`
  await recordActivity(tx, { accountId, kind: 'identity_unlinked', detail, at: ctx.clock.now() })
  await mailWayIn(ctx, tx, accountId, { change: 'removed', way })
  return true
}
