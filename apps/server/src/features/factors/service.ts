import { recordActivity } from '../../activity-log.ts'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { factorChangedMail } from '../../mail/factor-mails.ts'
import { Refusal } from '../../refusal.ts'
import { isSealedWith, openSecret, sealSecret, UnreadableSecretError } from '../../sealed-secret.ts'
import { type Account, getAccount, lockAccount } from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { completeSession, createEndedSignInRefusal } from '../sessions/complete-session.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { type RenewedSession, renewSession } from '../sessions/renew-session.ts'
import { findPendingSession, listFactorMethods, mustEnrol } from '../sessions/second-factor.ts'
import { endOtherSessionsOf } from '../sessions/service.ts'
import type { SignedIn } from '../sessions/start-session.ts'
import { raiseTakeoverAlarm } from '../sessions/takeover-alarm.ts'
import { assertMayEnrol, deleteEnrolmentCode } from './enrolment-code.ts'
import { createRecoveryCodes, hashRecoveryCodes } from './recovery-code.ts'
import { endReset } from './reset.ts'
import * as store from './store.ts'
import { createTotpSecret, totpUri, verifyTotp } from './totp.ts'
import { checkFactorCode, openTotpSecret, totpAad } from './verify-code.ts'

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
  if (!pendingSession) throw createEndedSignInRefusal()
  const { session, account } = pendingSession
  const { factor, consume } = await checkFactorCode(ctx, account.id, code, browser)
  const ids = { sessionId: session.id, accountId: account.id }
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, account.id)
    await consume(tx)
    return completeSession(ctx, tx, ids, browser, factor)
  })
}

/** Reauthenticates the session with a code. */
export async function confirmWithCode(
  ctx: Context,
  actor: Actor,
  code: string,
  browser: Browser,
): Promise<RenewedSession> {
  const { consume } = await checkFactorCode(ctx, actor.accountId, code, browser)
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    await consume(tx)
    return renewSession(ctx, tx, actor, { factorAt: ctx.clock.now() })
  })
}

/**
 * Creates the secret of an authenticator app. The app becomes a factor with `confirmTotp`.
 * @throws Refusal factor_exists, enrolment_code_required
 */
export async function startTotpEnrolment(ctx: Context, actor: Actor): Promise<{ secret: string; uri: string }> {
  const { accountId, sessionId, email, name } = actor
  await assertMayEnrol(ctx.db, actor)
  const secret = createTotpSecret()
  const sealedSecret = sealSecret(ctx.config.appSecret, totpAad(accountId), secret)
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
  const { accountId } = actor
  await verifyFirstCode(ctx, ctx.db, actor, code)
  const newCodes = await createFirstRecoveryCodes(ctx, accountId)
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    const step = await verifyFirstCode(ctx, tx, actor, code)
    const isFirst = (await listFactorMethods(tx, accountId)).length === 0
    await store.confirmEnrolment(tx, accountId, { step, at: ctx.clock.now() })
    return recordFactorAdded(ctx, tx, actor, { factor: 'Authenticator app', isFirst, newCodes })
  })
}

/** Returns the time step of the first code of the app that this session enrols. */
async function verifyFirstCode(ctx: Context, tx: Queryable, actor: Actor, code: string): Promise<number> {
  const { accountId, sessionId } = actor
  await assertMayEnrol(tx, actor)
  const enrolment = await store.findTotp(tx, accountId)
  if (enrolment?.confirmedAt) throw appAlreadyExists()
  const secret = enrolment?.sessionId === sessionId ? openTotpSecret(ctx, accountId, enrolment.sealedSecret) : null
  if (secret === null) throw new Refusal('challenge_invalid', 'Start again: the QR code has changed.')
  const timeStep = verifyTotp(secret, code.replace(/\s/g, ''), ctx.clock.now(), 0)
  if (timeStep === null)
    throw new Refusal('code_wrong', 'This code is wrong. Check the time of your phone and try again.')
  return timeStep
}

interface NewRecoveryCodes {
  codes: string[]
  hashes: { codeHash: string; salt: Uint8Array }[]
}

/**
 * Creates the recovery codes that come with the first factor of an account. Returns null if the
 * account already has a factor. Hashing takes long, and the passwords of all sign-ins wait in the
 * same queue. So call it only after the new factor was verified, and outside of transactions.
 */
export async function createFirstRecoveryCodes(ctx: Context, accountId: string): Promise<NewRecoveryCodes | null> {
  if ((await listFactorMethods(ctx.db, accountId)).length > 0) return null
  const codes = createRecoveryCodes()
  return { codes, hashes: await hashRecoveryCodes(ctx.passwords, codes) }
}

/**
 * Records an added factor. Adding it counts as a reauthentication of this session. The first factor
 * comes with recovery codes, and ends all other sessions, because they were opened without a
 * factor.
 * @param addedFactor `newCodes` are those that `createFirstRecoveryCodes` returned before the
 *   account was locked
 * @throws Refusal challenge_invalid if the account lost its other factors since then, so that codes
 *   are missing
 */
export async function recordFactorAdded(
  ctx: Context,
  tx: Tx,
  actor: Actor,
  { factor, isFirst, newCodes }: { factor: string; isFirst: boolean; newCodes: NewRecoveryCodes | null },
): Promise<AddedFactor> {
  const { accountId } = actor
  const at = ctx.clock.now()
  if (isFirst) {
    if (!newCodes) throw new Refusal('challenge_invalid', 'Your other factors were removed just now. Start again.')
    await store.replaceRecoveryCodes(tx, accountId, newCodes.hashes, at)
    await endOtherSessionsOf(ctx, tx, actor)
    await deleteEnrolmentCode(tx, accountId)
  }
  await recordActivity(tx, { accountId, kind: 'factor_added', detail: factor, at })
  await mailFactor(ctx, tx, await getAccount(tx, accountId), { change: 'added', factor })
  // Live sockets of an admin gain rights with the first factor, so they are notified.
  await ctx.notifications.notify(tx, 'entitlement', accountId)
  const session = await renewSession(ctx, tx, actor, { factorAt: at })
  return { recoveryCodes: isFirst && newCodes ? newCodes.codes : null, session }
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

/** Returns the passkeys and the authenticator app for the account export. */
export async function exportFactors({ db }: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return (await listFactors(db, accountId)).map((factor) => ({ ...factor }))
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
    if (mustEnrol(ctx.config, account, false)) {
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
