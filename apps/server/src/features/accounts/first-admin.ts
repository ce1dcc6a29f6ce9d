import type { EnrolmentCode, StaffRole } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'
import { operator, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { findSetting, saveSetting } from '../../db/setting.ts'
import { parseDisplayName, parseEmail } from '../../email-address.ts'
import { ConfigError } from '../../read-config.ts'
import { Refusal } from '../../refusal.ts'
import { issueEnrolmentCode } from '../factors/enrolment-code.ts'
import { endSignInAlone } from '../factors/store.ts'
import {
  type Account,
  countOwners,
  findFirstOwner,
  hasOwner,
  insertAccount,
  lockAccountByEmail,
  lockAdmins,
  updateAccount,
} from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { createSecret, hashSecret } from '../sessions/secret.ts'
import { recordAccountCreated } from '../sessions/service.ts'
import { type SignedIn, startSession } from '../sessions/start-session.ts'
import { ADMIN_MIN_LENGTH, assertPasswordAllowed } from './password.ts'
import { lockAddress, voidSignUps } from './pending-sign-up-store.ts'
import { secureNewStaff } from './staff-access.ts'

/**
 * Name of the setting with the current setup link: the SHA-256 of its secret and its expiry, or the
 * time when it was used.
 */
export const FIRST_ADMIN_LINK = 'accounts.first-admin-link'
const linkSchema = z.object({ tokenHash: z.string(), expiresAt: z.coerce.date() })
const LIFETIME_MS = DAY_MS

interface AdminDetails {
  email: string
  /** Null keeps the name of an existing account. A new account is then called “Administrator”. */
  name: string | null
  passwordHash: string
  role: StaffRole
}

/**
 * Creates the configured admin if no admin exists. Safe if several instances call it at the same
 * time.
 * @throws ConfigError if ADMIN_PASSWORD is too common
 */
export async function ensureFirstAdmin(ctx: Context): Promise<void> {
  const { firstAdmin } = ctx.config
  if (!firstAdmin || (await hasOwner(ctx.db))) return
  const email = parseEmail(firstAdmin.email)
  const minLength = ADMIN_MIN_LENGTH
  await assertPasswordAllowed(ctx, { password: firstAdmin.password, minLength, email, name: '' }).catch(
    (error: unknown) => {
      throw error instanceof Refusal ? new ConfigError([`ADMIN_PASSWORD is refused: ${error.message}`]) : error
    },
  )
  const passwordHash = await ctx.passwords.hash(firstAdmin.password)
  await ctx.db.transaction(async (tx) => {
    await lockAdmins(tx)
    if (!(await hasOwner(tx))) await createOrPromoteAdmin(ctx, tx, { email, name: null, passwordHash, role: 'owner' })
  })
}

/**
 * Returns the context in which the first owner of a demo is exempt from the second factor. The
 * owner may have another address than ADMIN_EMAIL, which counts only at the first start.
 */
export async function exemptFirstOwner(ctx: Context): Promise<Context> {
  const { adminFactor } = ctx.config
  if (adminFactor.exemptEmail === null) return ctx
  const owner = await findFirstOwner(ctx.db, adminFactor.exemptEmail)
  if (!owner) return ctx
  return { ...ctx, config: { ...ctx.config, adminFactor: { ...adminFactor, exemptEmail: owner.email } } }
}

/** `link` is null on instances that did not create the link: only its hash is stored. */
export interface FirstAdminLink {
  link: string | null
  expiresAt: Date
}

/**
 * Creates the setup link for the first admin. Does not replace a link that is still valid, so only
 * one of several instances can print it.
 * @returns null if an admin exists or is configured
 */
export async function createFirstAdminLink(ctx: Context): Promise<FirstAdminLink | null> {
  const token = createSecret()
  const now = ctx.clock.now()
  // The secret is in the fragment, which browsers do not send to servers.
  const link = `${ctx.config.http.publicUrl}/admin-auth#setup=${token}`
  return ctx.db.transaction(async (tx) => {
    await lockAdmins(tx)
    if (ctx.config.firstAdmin || (await hasOwner(tx))) return null
    const earlierLink = linkSchema.safeParse((await findSetting(tx, FIRST_ADMIN_LINK))?.value)
    if (earlierLink.success && earlierLink.data.expiresAt > now)
      return { link: null, expiresAt: earlierLink.data.expiresAt }
    const expiresAt = new Date(now.getTime() + LIFETIME_MS)
    await saveSetting(tx, FIRST_ADMIN_LINK, { tokenHash: hashSecret(token), expiresAt }, now)
    return { link, expiresAt }
  })
}

/**
 * Consumes the setup link, creates the admin and signs in. Only one of several concurrent calls
 * succeeds.
 */
export async function consumeFirstAdminLink(
  ctx: Context,
  request: { token: string; email: string; name: string; password: string },
  browser: Browser,
): Promise<SignedIn> {
  const email = parseEmail(request.email)
  const name = parseDisplayName(request.name)
  await assertPasswordAllowed(ctx, { password: request.password, minLength: ADMIN_MIN_LENGTH, email, name })
  await assertLink(ctx, ctx.db, request.token)
  const passwordHash = await ctx.passwords.hash(request.password)
  return ctx.db.transaction(async (tx) => {
    await lockAdmins(tx)
    await assertLink(ctx, tx, request.token)
    const now = ctx.clock.now()
    await saveSetting(tx, FIRST_ADMIN_LINK, { usedAt: now }, now)
    const { account } = await createOrPromoteAdmin(ctx, tx, { email, name, passwordHash, role: 'owner' })
    return startSession(ctx, tx, account, browser, { way: 'the first admin’s link', rememberMe: false, mayEnrol: true })
  })
}

async function assertLink(ctx: Context, tx: Tx | Context['db'], token: string): Promise<void> {
  const link = linkSchema.safeParse((await findSetting(tx, FIRST_ADMIN_LINK))?.value)
  if (!link.success || link.data.tokenHash !== hashSecret(token) || (await hasOwner(tx))) {
    throw new Refusal(
      'token_invalid',
      'This link is invalid or was already used. If there is no admin yet, `tocsin admin create` makes one.',
    )
  }
  if (link.data.expiresAt <= ctx.clock.now()) {
    throw new Refusal('token_expired', 'This link has expired. A restart of Tocsin prints a new one.')
  }
}

/**
 * Creates another admin, for the operator CLI. An existing account with the address is promoted
 * only if `takeOver` is set.
 * @returns the code with which the account enrols a second factor, if it has none, and the sign-in
 *   methods that the account has besides the password
 * @throws Refusal forbidden if the address is taken, last_admin if no owner would be left
 */
export async function createAdmin(
  ctx: Context,
  adminFields: { email: string; name: string | null; password: string; role: StaffRole; takeOver: boolean },
): Promise<{ enrolmentCode: EnrolmentCode | null; kept: string[] }> {
  const email = parseEmail(adminFields.email)
  const name = adminFields.name === null ? null : parseDisplayName(adminFields.name)
  const { password } = adminFields
  await assertPasswordAllowed(ctx, { password, minLength: ADMIN_MIN_LENGTH, email, name: name ?? '' })
  const passwordHash = await ctx.passwords.hash(password)
  return ctx.db.transaction(async (tx) => {
    await lockAdmins(tx)
    await lockAddress(tx, email)
    const existingAccount = await lockAccountByEmail(tx, email)
    if (existingAccount?.role === adminFields.role)
      throw new Refusal('forbidden', `${email} already has the role ${adminFields.role}`)
    if (existingAccount && !adminFields.takeOver) throw new Refusal('forbidden', `${email} already has an account`)
    const { account, kept } = await createOrPromoteAdmin(ctx, tx, { email, name, passwordHash, role: adminFields.role })
    if (existingAccount?.role === 'owner' && (await countOwners(tx)) === 0) {
      throw new Refusal('last_admin', `${email} is the only active owner. Make another account an owner first.`)
    }
    const detail = { existing: existingAccount !== undefined, role: adminFields.role }
    await recordAudit(tx, { ...operator, action: 'admin_created', subject: account.id, detail, at: ctx.clock.now() })
    return { enrolmentCode: await issueEnrolmentCode(ctx, tx, account, operator), kept }
  })
}

/**
 * Creates the admin, or promotes the account that has the address. For a promoted account, the
 * previous password and the access that `secureNewStaff` ends become invalid.
 */
async function createOrPromoteAdmin(
  ctx: Context,
  tx: Tx,
  { email, name, passwordHash, role }: AdminDetails,
): Promise<{ account: Account; kept: string[] }> {
  const now = ctx.clock.now()
  await lockAddress(tx, email)
  await voidSignUps(tx, email, now)
  const suspensionColumns = { suspendedAt: null, suspensionReason: null }
  const adminColumns = { passwordHash, role, emailVerifiedAt: now, ...suspensionColumns } as const
  const createdAccount = await insertAccount(tx, {
    email,
    name: name ?? 'Administrator',
    createdAt: now,
    ...adminColumns,
  })
  if (createdAccount) {
    await recordAccountCreated(tx, createdAccount.id, now)
    return { account: createdAccount, kept: [] }
  }
  const existingAccount = await lockAccountByEmail(tx, email)
  if (!existingAccount) throw new Error('The account was deleted while it became admin')
  const change = { name: name ?? existingAccount.name, ...adminColumns }
  await updateAccount(tx, existingAccount.id, change)
  const account = { ...existingAccount, ...change }
  const otherSignInMethods = await secureNewStaff(ctx, tx, { ...account, role: existingAccount.role }, role)
  // As after a reset, the password is new: passkeys stay, but cannot sign in alone until they have
  // completed a sign-in with the new password.
  await endSignInAlone(tx, existingAccount.id)
  return { account, kept: otherSignInMethods }
}
