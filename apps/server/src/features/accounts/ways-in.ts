import type { IdentityProvider } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { mailWayIn } from '../../mail-way-in.ts'
import { Refusal } from '../../refusal.ts'
import { countWaysIn, deleteIdentity } from './identity-store.ts'
import { lockAccount } from './store.ts'

/** For people to read. */
export const providerNames: Record<IdentityProvider, string> = { google: 'Google', linkedin: 'LinkedIn' }

/**
 * Takes a way to sign in off an account, one at a time. The last one stays: a refusal brings back what was removed.
 * @param remove answers whether there was anything to remove
 */
export async function removeWayIn(tx: Tx, accountId: string, remove: () => Promise<boolean>): Promise<void> {
  await lockAccount(tx, accountId)
  if (!(await remove())) throw new Refusal('not_found', 'Your account is not linked with this')
  if ((await countWaysIn(tx, accountId)) === 0) {
    throw new Refusal('last_way_in', 'This is the only way to sign in to your account. Add another one first.')
  }
}

/** The same for what has ended by itself: whether it was removed. */
export async function removeUnlessLast(tx: Tx, accountId: string, remove: () => Promise<boolean>): Promise<boolean> {
  await lockAccount(tx, accountId)
  return (await countWaysIn(tx, accountId)) > 1 && remove()
}

export async function unlinkIdentity(ctx: Context, actor: Actor, provider: IdentityProvider): Promise<void> {
  const { accountId } = actor
  await ctx.db.transaction((tx) => removeWayIn(tx, accountId, () => removeIdentity(ctx, tx, accountId, provider)))
}

/** False if the account has none of this provider. */
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
