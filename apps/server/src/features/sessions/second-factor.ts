import type { AwaitedFactor, FactorMethod } from '@tocsin/protocol'
import { and, eq, isNotNull } from 'drizzle-orm'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { passkeys, recoveryCodes, totpFactors } from '../../db/schema/factors.ts'
import type { Account } from './account-store.ts'
import { hashSecret } from './secret.ts'
import { findSession, type Session } from './store.ts'

/**
 * Returns the second factors of the account that can complete a sign-in. The list may be empty.
 */
export async function listFactorMethods(tx: Queryable, accountId: string): Promise<FactorMethod[]> {
  const passkeyCount = await tx.$count(passkeys, eq(passkeys.accountId, accountId))
  const isConfirmed = and(eq(totpFactors.accountId, accountId), isNotNull(totpFactors.confirmedAt))
  const appCount = await tx.$count(totpFactors, isConfirmed)
  const codeCount =
    passkeyCount + appCount > 0 ? await tx.$count(recoveryCodes, eq(recoveryCodes.accountId, accountId)) : 0
  const methods: FactorMethod[] = []
  if (passkeyCount > 0) methods.push('passkey')
  if (appCount > 0) methods.push('totp')
  if (codeCount > 0) methods.push('recovery-code')
  return methods
}

/**
 * Returns true if the account is staff but has to enrol a second factor before it may use its
 * permissions. The first owner of a demo is exempt.
 */
export function mustEnrol(
  { adminFactor }: Config,
  { role, email }: Pick<Account, 'role' | 'email'>,
  hasFactor: boolean,
): boolean {
  if (role === 'user' || hasFactor || !adminFactor.isRequired) return false
  return email === null || email !== adminFactor.exemptEmail
}

/** A session that waits for its second factor, with its account. */
export interface PendingSession {
  session: Session & { awaitsFactorUntil: Date }
  account: Account
}

/** Returns the session of this cookie if it waits for a second factor. */
export async function findPendingSession(
  ctx: Context,
  sessionCookie: string | undefined,
): Promise<PendingSession | null> {
  const foundSession = sessionCookie && (await findSession(ctx.db, { idHash: hashSecret(sessionCookie) }))
  if (!foundSession || foundSession.account.suspendedAt) return null
  const { awaitsFactorUntil } = foundSession.session
  if (awaitsFactorUntil === null || awaitsFactorUntil <= ctx.clock.now()) return null
  return { session: { ...foundSession.session, awaitsFactorUntil }, account: foundSession.account }
}

/** Presents a sign-in that waits for its second factor. */
export async function presentPending(ctx: Context, { session, account }: PendingSession): Promise<AwaitedFactor> {
  return {
    methods: await listFactorMethods(ctx.db, account.id),
    expiresAt: session.awaitsFactorUntil.toISOString(),
  }
}
