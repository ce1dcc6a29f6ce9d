import type { IdentityProvider } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { mailSignInMethod } from '../sessions/mail-sign-in-method.ts'
import { removeSignInMethod } from '../sessions/sign-in-methods.ts'
import { deleteIdentity } from './identity-store.ts'

export const providerNames: Record<IdentityProvider, string> = { google: 'Google', linkedin: 'LinkedIn' }

export async function unlinkIdentity(ctx: Context, actor: Actor, provider: IdentityProvider): Promise<void> {
  const { accountId } = actor
  await ctx.db.transaction((tx) =>
    removeSignInMethod(ctx, tx, actor, () => removeIdentity(ctx, tx, accountId, provider)),
  )
}

/** Returns false if the account has no identity of this provider. */
export async function removeIdentity(
  ctx: Context,
  tx: Tx,
  accountId: string,
  provider: IdentityProvider,
): Promise<boolean> {
  if (!(await deleteIdentity(tx, accountId, provider))) return false
  const method = providerNames[provider]
  const detail = `${method} unlinked`
  await recordActivity(tx, { accountId, kind: 'identity_unlinked', detail, at: ctx.clock.now() })
  await mailSignInMethod(ctx, tx, accountId, { change: 'removed', method })
  return true
}
