import { identityProviders } from '@tocsin/protocol'
import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { accounts, identities } from '../../db/schema/accounts.ts'
import { passkeys } from '../../db/schema/factors.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { lockAccount } from './account-store.ts'
import { countUsableWallets } from './linked-wallets.ts'
import { lockActor } from './lock-actor.ts'
import { endOtherSessionsOf } from './service.ts'

/**
 * Removes a sign-in method from the actor's account and ends all other sessions, because a session
 * that was opened with the removed method must not outlast it. Locks the account, so that
 * concurrent calls cannot remove the last two methods.
 * @param remove returns false if there was nothing to remove
 * @throws Refusal last_way_in for the last method; the transaction must roll back
 */
export async function removeSignInMethod(
  ctx: Context,
  tx: Tx,
  actor: Actor,
  remove: () => Promise<boolean>,
): Promise<void> {
  const { accountId } = actor
  await lockActor(ctx, tx, actor)
  if (!(await remove())) throw new Refusal('not_found', 'Your account is not linked with this')
  if ((await countSignInMethods(ctx, tx, accountId)) === 0) {
    throw new Refusal('last_way_in', 'This is the only way to sign in to your account. Add another one first.')
  }
  await endOtherSessionsOf(ctx, tx, actor)
}

/**
 * Like removeSignInMethod, but returns false instead of throwing. Used for methods that have become
 * invalid by themselves.
 */
export async function removeUnlessLastMethod(
  ctx: Context,
  tx: Tx,
  accountId: string,
  remove: () => Promise<boolean>,
): Promise<boolean> {
  await lockAccount(tx, accountId)
  return (await countSignInMethods(ctx, tx, accountId)) > 1 && remove()
}

/**
 * Counts the sign-in methods of the account: password, identities of configured providers, wallets
 * that can sign in, and passkeys that can sign in alone.
 */
async function countSignInMethods(ctx: Context, tx: Queryable, accountId: string): Promise<number> {
  const hasPassword = and(isNotNull(accounts.passwordHash), isNotNull(accounts.emailVerifiedAt))
  const passwordCount = await tx.$count(accounts, and(eq(accounts.id, accountId), hasPassword))
  const configuredProviders = identityProviders.filter((provider) => ctx.config.providers[provider] !== null)
  const isUsable = and(eq(identities.accountId, accountId), inArray(identities.provider, configuredProviders))
  const linkedIdentityCount = await tx.$count(identities, isUsable)
  const walletCount = await countUsableWallets(ctx, tx, accountId)
  const keys = await tx.$count(passkeys, and(eq(passkeys.accountId, accountId), eq(passkeys.signsInAlone, true)))
  return passwordCount + linkedIdentityCount + walletCount + keys
}
