import type { IdentityProvider } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import { parseEmail } from '../../email-address.ts'
import { passwordChangedMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { removeDestinations } from '../channels/service.ts'
import { type Destination, listDestinations } from '../channels/store.ts'
import { type Factor, listFactors, removeFactors } from '../factors/service.ts'
import { type CheckedCode, checkFactorCode } from '../factors/verify-code.ts'
import { type Account, findAccount, lockAccountByEmail, updateAccount } from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { readDeviceCookie } from '../sessions/known-device.ts'
import { listWalletsOf } from '../sessions/linked-wallets.ts'
import { hashSecret } from '../sessions/secret.ts'
import { removeWallet } from '../wallets/service.ts'
import { endAccess } from './end-access.ts'
import { type Identity, listIdentities } from './identity-store.ts'
import { consumeLinkToken, createLinkMail, hasExpired } from './mail-link.ts'
import { withMailQuota } from './mail-quota.ts'
import { assertPasswordAllowed, getMinLength } from './password.ts'
import { lockAddress, voidSignUps } from './pending-sign-up-store.ts'
import { findMailToken, type MailToken } from './store.ts'
import { removeIdentity } from './unlink-identity.ts'

/** Access that an intruder may have added to the account, besides a password. */
export interface AddedAccess {
  identities: Identity[]
  wallets: { address: string; linkedAt: Date }[]
  destinations: Pick<Destination, 'id' | 'kind' | 'name' | 'createdAt'>[]
  factors: Factor[]
}

/** Emails a reset link. The response does not reveal whether the address has an account. */
export async function requestPasswordReset(
  ctx: Context,
  requestedEmail: string,
  { network, deviceCookie }: Pick<Browser, 'network' | 'deviceCookie'>,
): Promise<void> {
  const email = parseEmail(requestedEmail)
  const knownDevice = readDeviceCookie(ctx.config, email, deviceCookie)
  await withMailQuota(ctx, { kind: 'reset-password', email, requester: network, network, knownDevice }, () =>
    ctx.db.transaction(async (tx) => {
      const account = await lockAccountByEmail(tx, email)
      if (account) await ctx.sendMail(tx, await createLinkMail(ctx, tx, account.id, email, 'reset-password'))
    }),
  )
}

export type ResetLink = { state: 'good'; minLength: number; waysIn: AddedAccess } | { state: LinkFault }

/** Returns the state of a reset link without consuming it. */
export async function checkResetLink(ctx: Context, token: string): Promise<ResetLink> {
  const foundLink = await findLink(ctx, token)
  if (typeof foundLink === 'string') return { state: foundLink }
  const { account } = foundLink
  const waysIn = await listAddedAccess(ctx, account.id)
  return { state: 'good', minLength: getMinLength(account.role, ctx.config.resetPasswordMinLength), waysIn }
}

export interface PasswordReset {
  token: string
  newPassword: string
  removeWallets?: string[] | undefined
  removeProviders?: IdentityProvider[] | undefined
  removeDestinations?: string[] | undefined
  removeFactors?: string[] | undefined
  factorCode?: string | undefined
}

/**
 * Sets the password, verifies the address that the link was emailed to, and calls `endAccess`. Also
 * removes the given sign-in methods and destinations, because an intruder may have added them.
 * Removes the given factors only if the request contains a code of one factor: access to the
 * mailbox must not be enough to replace them.
 * @returns the access that remains besides the password
 */
export async function resetPassword(ctx: Context, request: PasswordReset, browser: Browser): Promise<AddedAccess> {
  const now = ctx.clock.now()
  const foundLink = await findLink(ctx, request.token)
  if (typeof foundLink === 'string') throw refuseLink(foundLink)
  const { link } = foundLink
  const { role, name } = foundLink.account
  const minLength = getMinLength(role, ctx.config.resetPasswordMinLength)
  await assertPasswordAllowed(ctx, { password: request.newPassword, minLength, email: foundLink.account.email, name })
  const passwordHash = await ctx.passwords.hash(request.newPassword)
  const { removeFactors: factorIds = [], factorCode } = request
  let code: CheckedCode | undefined
  if (factorIds.length > 0) {
    if (factorCode === undefined) throw new Refusal('second_factor_required', CODE_NEEDED)
    code = await checkFactorCode(ctx, link.accountId, factorCode, browser)
  }
  await ctx.db.transaction(async (tx) => {
    await lockAddress(tx, link.email)
    const account = await consumeLinkToken(tx, link.tokenHash, 'reset-password', now)
    if (!account?.email) throw refuseLink('invalid')
    const { id, email } = account
    await code?.consume(tx)
    await updateAccount(tx, id, { passwordHash, emailVerifiedAt: account.emailVerifiedAt ?? now })
    await voidSignUps(tx, email, now)
    await endAccess(ctx, tx, id, 'password reset')
    await recordActivity(tx, { accountId: id, kind: 'password_changed', detail: 'Password reset by email', at: now })
    await ctx.sendMail(tx, passwordChangedMail(email, ctx.config.http.publicUrl))
    for (const address of request.removeWallets ?? []) await removeWallet(ctx, tx, id, address)
    for (const provider of request.removeProviders ?? []) await removeIdentity(ctx, tx, id, provider)
    await removeDestinations(tx, { accountId: id, requestId: 'password reset' }, request.removeDestinations ?? [], now)
    await removeFactors(ctx, tx, id, { actorId: id, requestId: 'password reset' }, factorIds)
  })
  return listAddedAccess(ctx, link.accountId)
}

const CODE_NEEDED = 'Enter a code of your authenticator app or a recovery code to remove second factors.'

type LinkFault = 'expired' | 'invalid'

async function findLink(ctx: Context, token: string): Promise<{ link: MailToken; account: Account } | LinkFault> {
  const link = await findMailToken(ctx.db, hashSecret(token), 'reset-password')
  if (!link || link.usedAt) return 'invalid'
  if (hasExpired(link, ctx.clock.now())) return 'expired'
  const account = await findAccount(ctx.db, link.accountId)
  return account ? { link, account } : 'invalid'
}

export const linkFaults: Record<LinkFault, string> = {
  expired: 'This reset link has expired. Please request a new one.',
  invalid: 'This reset link is invalid or was already used.',
}

function refuseLink(fault: LinkFault): Refusal {
  return new Refusal(fault === 'expired' ? 'token_expired' : 'token_invalid', linkFaults[fault])
}

async function listAddedAccess(ctx: Context, accountId: string): Promise<AddedAccess> {
  const [identities, wallets, destinations, factors] = await Promise.all([
    listIdentities(ctx.db, accountId),
    listWalletsOf(ctx.db, accountId),
    listDestinations(ctx.db, accountId),
    listFactors(ctx.db, accountId),
  ])
  return { identities, wallets, destinations, factors }
}
