import { createHmac } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Account } from '../sessions/account-store.ts'
import { listSignUps } from './pending-sign-up-store.ts'

/**
 * Hashes the password of a sign-up. All sign-ups of an address have the same salt, so that a login
 * compares one hash with all of them.
 */
export function hashSignUpPassword(ctx: Context, email: string, password: string): Promise<string> {
  const salt = createHmac('sha256', ctx.config.appSecret).update(`sign-up\n${email}`).digest().subarray(0, 16)
  return ctx.passwords.hash(password, salt)
}

/**
 * Returns true if the password belongs to a sign-up that waits for confirmation, or to a sign-up
 * that was voided because the address has an account. Always computes one password hash, even if
 * `email` is null because the input is not an address.
 */
export async function matchesSignUp(ctx: Context, email: string | null, password: string): Promise<boolean> {
  const [pendingSignUps, passwordHash] = await Promise.all([
    email === null ? [] : listSignUps(ctx.db, email, ctx.clock.now()),
    hashSignUpPassword(ctx, email ?? '', password),
  ])
  return pendingSignUps.some((signUp) => signUp.passwordHash === passwordHash)
}

/**
 * Returns true for an unverified account of an earlier version. Such an account could never sign
 * in, so it owns nothing, and the first confirmed sign-up for the address replaces it.
 */
export function isUnclaimed({ emailVerifiedAt, role }: Account): boolean {
  return emailVerifiedAt === null && role === 'user'
}
