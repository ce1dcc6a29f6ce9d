import { createHmac } from 'node:crypto'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { hashPassword } from './password.ts'
import { listSignUps } from './pending-sign-up-store.ts'
import type { Account } from './store.ts'

/** With a salt that all sign-ups of the address share, so that one hash of a login compares with all of them. */
export function hashSignUpPassword({ appSecret }: Config, email: string, password: string): Promise<string> {
  const salt = createHmac('sha256', appSecret).update(`sign-up\n${email}`).digest().subarray(0, 16)
  return hashPassword(password, salt)
}

/**
 * Whether the password is that of a sign-up that waits for its link, or would wait if the address had no account.
 * Always one password hash of work, also if `email` is null because what was typed is no address.
 */
export async function matchesSignUp(ctx: Context, email: string | null, password: string): Promise<boolean> {
  const [waiting, passwordHash] = await Promise.all([
    email === null ? [] : listSignUps(ctx.db, email, ctx.clock.now()),
    hashSignUpPassword(ctx.config, email ?? '', password),
  ])
  return waiting.some((signUp) => signUp.passwordHash === passwordHash)
}

/**
 * An account of an earlier version that was never confirmed. It could never be signed in to, so it owns nothing, and
 * gives way to whoever confirms the address.
 */
export function isUnclaimed({ emailVerifiedAt, role }: Account): boolean {
  return emailVerifiedAt === null && role === 'user'
}
