import { createHmac } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Account } from '../sessions/account-store.ts'
import { listSignUps } from './pending-sign-up-store.ts'

/**
 * Uses one salt for all sign-ups of an address, so that a login needs one hash to compare with all
 * of them.
 */
export function hashSignUpPassword(ctx: Context, email: string, password: string): Promise<string> {
  const salt = createHmac('sha256', ctx.config.appSecret).update(`sign-up\n${email}`).digest().subarray(0, 16)
  return ctx.passwords.hash(password, salt)
}

/**
 * True if the password belongs to a sign-up that waits for confirmation, or to one that was voided
 * because the address has an account. Always computes one password hash, even if `email` is null
 * because the input is not an address.
 */
export async function matchesSignUp(ctx: Context, email: string | null, password: string): Promise<boolean> {
  const [waiting, passwordHash] = await Promise.all([
    email === null ? [] : listSignUps(ctx.db, email, ctx.clock.now()),
    hashSignUpPassword(ctx, email ?? '', password),
  ])
  return waiting.some((signUp) => signUp.passwordHash === passwordHash)
}

/**
 * True for an unverified account of an earlier version. It could never sign in, so it owns nothing
 * and is replaced by the first confirmed sign-up for the address.
 */
export function isUnclaimed({ emailVerifiedAt, role }: Account): boolean {
  return emailVerifiedAt === null && role === 'user'
}
