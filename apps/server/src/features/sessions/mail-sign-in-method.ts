import { and, eq, isNotNull } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { signInMethodAddedMail, signInMethodRemovedMail } from '../../mail/account-mails.ts'

/**
 * Notifies an account's owner by email that a wallet or provider was linked or removed. The email
 * is stored in the same transaction. Accounts without a verified address get no email. There is no
 * quota, because strangers cannot trigger the email.
 * @param method fixed text of the server: "Google", "Wallet 0x…"
 */
export async function mailSignInMethod(
  ctx: Context,
  tx: Queryable,
  accountId: string,
  { change, method }: { change: 'added' | 'removed' | 'rejected'; method: string },
): Promise<void> {
  const [owner] = await tx
    .select({ email: accounts.email })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNotNull(accounts.emailVerifiedAt)))
  if (!owner?.email) return
  const facts = [owner.email, method, ctx.clock.now(), ctx.config.http.publicUrl] as const
  const mail = change === 'added' ? signInMethodAddedMail(...facts) : signInMethodRemovedMail(...facts, change)
  await ctx.sendMail(tx, mail)
}
