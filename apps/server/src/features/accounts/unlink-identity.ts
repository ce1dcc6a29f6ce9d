import type { IdentityProvider } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { mailWayIn } from '../sessions/mail-way-in.ts'
import { removeWayIn } from '../sessions/ways-in.ts'
import { deleteIdentity } from './identity-store.ts'

/** Display names. */
export const providerNames: Record<IdentityProvider, string> = { google: 'Google', linkedin: 'LinkedIn' }

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
