import { recordActivity } from '../../activity-log.ts'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { factorChangedMail } from '../../mail/factor-mails.ts'
import { Refusal } from '../../refusal.ts'
import { isSealedWith, openSecret, sealSecret, UnreadableSecretError } from '../../sealed-secret.ts'
import { type Account, getAccount } from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { completeSession, refuseEndedSignIn } from '../sessions/complete-session.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { type RenewedSession, renewSession } from '../sessions/renew-session.ts'
import { findPendingSession, listFactorMethods } from '../sessions/second-factor.ts'
import { endOtherSessionsOf } from '../sessions/service.ts'
import type { SignedIn } from '../sessions/start-session.ts'
import { raiseTakeoverAlarm } from '../sessions/takeover-alarm.ts'
import { assertMayEnrol, deleteEnrolmentCode } from './enrolment-code.ts'
import { createRecoveryCodes, hashRecoveryCodes } from './recovery-code.ts'
import { endReset } from './reset.ts'
import * as store from './store.ts'
import { createTotpSecret, totpUri, verifyTotp } from './totp.ts'
import { totpAad, verifyFactorCode } from './verify-code.ts'

/** Id of the authenticator app in lists of factors. No passkey has an id this short. */
const APP_ID = 'totp'

/** A second factor as it is shown to its owner. */
export interface Factor {
  id: string
  kind: 'passkey' | 'totp'
  name: string
  addedAt: Date
}

/** Completes the sign-in of this browser with a code. */
export async function completeWithCode(ctx: Context, code: string, browser: Browser): Promise<SignedIn> {
  const pendingSession = await findPendingSession(ctx, browser.sessionCookie)
  if (!pendingSession) throw refuseEndedSignIn()
  const { session, account } = pendingSession
  const factor = await verifyFactorCode(ctx, account.id, code, browser)
  const ids = { sessionId: session.id, accountId: account.id }
  return ctx.db.transaction((tx) => completeSession(ctx, tx, ids, browser, factor))
}

/** Reauthenticates the session with a code. */
export async function confirmWithCode(
  ctx: Context,
  actor: Actor,
  code: string,
  browser: Browser,
): Promise<RenewedSession> {
  await verifyFactorCode(ctx, actor.accountId, code, browser)
  return ctx.db.transaction((tx) => renewSession(ctx, tx, actor, { factorAt: ctx.clock.now() }))
}

/**
 * Creates the secret of an authenticator app. The app becomes a factor with `confirmTotp`.
 * @throws Refusal factor_exists, enrolment_code_required
 */
export async function startTotp(ctx: Context, actor: Actor): Promise<{ secret: string; uri: string }> {
  const { accountId, sessionId } = actor
  await assertMayEnrol(ctx.db, actor)
  const secret = createTotpSecret()
  const sealedSecret = sealSecret(ctx.config.appSecret, totpAad(accountId), secret)
  const { email, name } = await getAccount(ctx.db, accountId)
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    if ((await store.findTotp(tx, accountId))?.confirmedAt) throw appAlreadyExists()
    await store.saveEnrolment(tx, { accountId, sealedSecret, sessionId, createdAt: ctx.clock.now() })
  })
  const siteLabel = `Tocsin (${new URL(ctx.config.http.publicUrl).hostname})`
  return { secret, uri: totpUri(secret, { site: siteLabel, account: email ?? name }) }
}

const appAlreadyExists = () =>
  new Refusal('factor_exists', 'Your account already has an authenticator app. Remove it first.')

export interface AddedFactor {
  /** Set if the added factor is the first factor of the account. */
  recoveryCodes: string[] | null
  session: RenewedSession
}

/**
 * Enables the authenticator app with its first code, in the session that started the enrolment.
 * @throws Refusal code_wrong, too_many_requests, factor_exists, enrolment_code_required,
 * challenge_invalid
 */
export async function confirmTotp(ctx: Context, actor: Actor, code: string): Promise<AddedFactor> {
  const { accountId, sessionId } = actor
  const recoveryCodes = createRecoveryCodes()
  const hashes = await hashRecoveryCodes(ctx.passwords, recoveryCodes)
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    await assertMayEnrol(tx, actor)
    const enrolment = await store.findTotp(tx, accountId)
    if (enrolment?.confirmedAt) throw appAlreadyExists()
    if (enrolment?.sessionId !== sessionId)
      throw new Refusal('challenge_invalid', 'Start again: the QR code has changed.')
    const secret = openSecret(ctx.config, totpAad(accountId), enrolment.sealedSecret)
    const at = ctx.clock.now()
    const timeStep = verifyTotp(secret, code.replace(/\s/g, ''), at, 0)
    if (timeStep === null)
      throw new Refusal('code_wrong', 'This code is wrong. Check the time of your phone and try again.')
    const isFirst = (await listFactorMethods(tx, accountId)).length === 0
    await store.confirmEnrolment(tx, accountId, { step: timeStep, at })
    const session = await recordFactorAdded(ctx, tx, actor, { factor: 'Authenticator app', isFirst, hashes })
    return { recoveryCodes: isFirst ? recoveryCodes : null, session }
  })
}

/**
 * Records an added factor. Adding it counts as a reauthentication of this session. The first factor
 * comes with recovery codes, and ends all other sessions, because they were opened without a
 * factor.
 */
export async function recordFactorAdded(
  ctx: Context,
  tx: Tx,
  actor: Actor,
  addedFactor: { factor: string; isFirst: boolean; hashes: readonly { codeHash: string; salt: Uint8Array }[] },
): Promise<RenewedSession> {
  const { accountId } = actor
  const at = ctx.clock.now()
  if (addedFactor.isFirst) {
    await store.replaceRecoveryCodes(tx, accountId, addedFactor.hashes, at)
    await endOtherSessionsOf(ctx, tx, actor)
    await deleteEnrolmentCode(tx, accountId)
  }
  await recordActivity(tx, { accountId, kind: 'factor_added', detail: addedFactor.factor, at })
  await mailFactor(ctx, tx, await getAccount(tx, accountId), { change: 'added', factor: addedFactor.factor })
  // Live sockets of an admin gain rights with the first factor, so they are notified.
  await ctx.notifications.notify(tx, 'entitlement', accountId)
  return renewSession(ctx, tx, actor, { factorAt: at })
}

/**
 * Removes the authenticator app and ends all other sessions. Removing the last factor also
 * invalidates the recovery codes.
 * @throws Refusal not_found, last_factor
 */
export async function removeTotp(ctx: Context, actor: Actor, by: AuditActor): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    if (!(await store.deleteTotp(tx, actor.accountId))) {
      throw new Refusal('not_found', 'Your account has no authenticator app.')
    }
    await recordFactorRemoved(ctx, tx, actor.accountId, by, 'Authenticator app')
    await endOtherSessionsOf(ctx, tx, actor)
  })
}

/** Returns the passkeys and the authenticator app of an account, oldest first. */
export async function listFactors(tx: Queryable, accountId: string): Promise<Factor[]> {
  const [app, passkeys] = await Promise.all([store.findTotp(tx, accountId), store.listPasskeys(tx, accountId)])
  const apps = app?.confirmedAt
    ? [{ id: APP_ID, kind: 'totp' as const, name: 'Authenticator app', addedAt: app.confirmedAt }]
    : []
  return [
    ...apps,
    ...passkeys.map(({ id, name, createdAt }) => ({ id, kind: 'passkey' as const, name, addedAt: createdAt })),
  ]
}

/**
 * Removes factors in a password reset. Ids that the account does not have are ignored. Callers must
 * have locked the account, verified a code of one of its factors, and ended its sessions.
 * @throws Refusal last_factor
 */
export async function removeFactors(
  ctx: Context,
  tx: Tx,
  accountId: string,
  by: AuditActor,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const isApp = id === APP_ID
    const isRemoved = isApp ? await store.deleteTotp(tx, accountId) : await store.deletePasskey(tx, accountId, id)
    if (isRemoved) await recordFactorRemoved(ctx, tx, accountId, by, isApp ? 'Authenticator app' : 'Passkey')
  }
}

/** @throws Refusal last_factor if the account needs a factor and this was the last one */
export async function recordFactorRemoved(
  ctx: Context,
  tx: Tx,
  accountId: string,
  by: AuditActor,
  factor: string,
): Promise<void> {
  const account = await getAccount(tx, accountId)
  if ((await listFactorMethods(tx, accountId)).length === 0) {
    if (isFactorRequired(ctx, account)) {
      throw new Refusal('last_factor', 'Admins need a second factor. Add another one before you remove this one.')
    }
    await store.deleteRecoveryCodes(tx, accountId)
    await endReset(ctx, tx, accountId, 'applied')
  }
  const at = ctx.clock.now()
  await recordActivity(tx, { accountId, kind: 'factor_removed', detail: factor, at })
  await recordAudit(tx, { ...by, action: 'factor_removed', subject: accountId, detail: { factor }, at })
  await mailFactor(ctx, tx, account, { change: 'removed', factor })
  await raiseTakeoverAlarm(ctx, tx, accountId)
}

/** Returns true if the policy requires a second factor for this account. */
export function isFactorRequired({ config: { adminFactor } }: Context, { role, email }: Account): boolean {
  return role !== 'user' && adminFactor.isRequired && (email === null || email !== adminFactor.exemptEmail)
}

/** @throws Refusal not_found if the account has no second factor */
export async function replaceRecoveryCodes(ctx: Context, actor: Actor): Promise<string[]> {
  const { accountId } = actor
  const codes = createRecoveryCodes()
  const hashes = await hashRecoveryCodes(ctx.passwords, codes)
  await ctx.db.transaction(async (tx) => {
    const account = await lockActor(ctx, tx, actor)
    if ((await listFactorMethods(tx, accountId)).length === 0) {
      throw new Refusal('not_found', 'Set up two-factor authentication first.')
    }
    const at = ctx.clock.now()
    await store.replaceRecoveryCodes(tx, accountId, hashes, at)
    await recordActivity(tx, { accountId, kind: 'recovery_codes_replaced', detail: 'New recovery codes', at })
    await mailFactor(ctx, tx, account, { change: 'added', factor: 'New recovery codes' })
  })
  return codes
}

async function mailFactor(
  ctx: Context,
  tx: Tx,
  { email, emailVerifiedAt }: Account,
  change: { change: 'added' | 'removed'; factor: string },
): Promise<void> {
  if (!email || !emailVerifiedAt) return
  await ctx.sendMail(tx, factorChangedMail(email, { ...change, at: ctx.clock.now() }, ctx.config.http.publicUrl))
}

/** Encrypts with the new APP_SECRET the secrets that were encrypted with the previous one. */
export async function resealTotpSecrets(ctx: Context): Promise<void> {
  const { appSecret, appSecretPrevious } = ctx.config
  if (appSecretPrevious === null) return
  for (const { accountId, sealed } of await store.listSealedTotp(ctx.db)) {
    const aad = totpAad(accountId)
    if (isSealedWith(appSecret, aad, sealed)) continue
    try {
      const secret = openSecret(ctx.config, aad, sealed)
      await store.updateSealedTotp(ctx.db, accountId, sealed, sealSecret(appSecret, aad, secret))
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error
      ctx.logger.warn(
        { accountId },
        'the secret of an authenticator app can be decrypted neither with APP_SECRET nor with APP_SECRET_PREVIOUS',
      )
    }
  }
}
