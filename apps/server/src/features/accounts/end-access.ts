import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { revokeAllApiKeys } from '../api-keys/service.ts'
import { recordChange } from '../channels/record-change.ts'
import { endSignInAlone } from '../factors/store.ts'
import { endSessionsOf } from '../sessions/service.ts'
import { deleteShares } from '../sharing/store.ts'
import { deletePrivateFeed } from '../syndication/store.ts'
import { endMailTokens } from './store.ts'

type Cause = 'password reset' | 'new role' | 'operator command'

/**
 * Ends every session, emailed link and shared link, and revokes every API key and the private feed,
 * because an intruder may have them. Wallets and providers stay. Used in a password reset, for a
 * new staff role, and by the operator. Passkeys stay as second factors, so that a stolen mailbox
 * cannot remove them. But a passkey cannot sign in alone until it has completed a sign-in with the
 * new password. This does not apply to a new staff role, because it sets no new password. Callers
 * must have locked the account.
 * @param cause shown in the audit log
 */
export async function endAccess(ctx: Context, tx: Tx, accountId: string, cause: Cause): Promise<void> {
  const at = ctx.clock.now()
  await endSessionsOf(ctx, tx, accountId)
  await endMailTokens(tx, accountId, at)
  await deleteShares(tx, accountId)
  await revokeAllApiKeys(ctx, tx, accountId, cause)
  if (await deletePrivateFeed(tx, accountId)) {
    const recordedChange = { what: 'private feed revoked', detail: 'Private feed revoked', at }
    await recordChange(tx, { accountId, requestId: cause }, recordedChange)
  }
  if (cause !== 'new role') await endSignInAlone(tx, accountId)
}
