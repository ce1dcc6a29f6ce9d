import type { AuthenticationResponse, RegistrationResponse } from '@tocsin/protocol'
import type { AuditActor } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { type Account, getAccount, lockAccount } from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { completeSession } from '../sessions/complete-session.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { type RenewedSession, renewSession } from '../sessions/renew-session.ts'
import { findPendingSession, listFactorMethods } from '../sessions/second-factor.ts'
import { createSecret } from '../sessions/secret.ts'
import { removeSignInMethod } from '../sessions/sign-in-methods.ts'
import { type SignedIn, startSession } from '../sessions/start-session.ts'
import { consumeChallenge, createChallenge, type Holder } from './challenges.ts'
import { assertMayEnrol } from './enrolment-code.ts'
import * as webauthn from './passkey.ts'
import { type AddedFactor, createFirstRecoveryCodes, recordFactorAdded, recordFactorRemoved } from './service.ts'
import * as store from './store.ts'

const MAX_PASSKEYS = 10
const FACTOR = 'passkey'
const AFTER_RESET_MESSAGE =
  'The password of this account was reset. Sign in with the new password and this passkey once. ' +
  'After that the passkey alone is enough again.'

/** Admins need user verification (a PIN or a biometric check) with every use. */
const isPrivileged = ({ role }: Pick<Account, 'role'>) => role !== 'user'

/** @throws Refusal enrolment_code_required */
export async function startEnrolment(ctx: Context, actor: Actor) {
  await assertMayEnrol(ctx.db, actor)
  const { accountId, email, name } = actor
  const existingPasskeys = await store.listPasskeys(ctx.db, accountId)
  const challenge = await createChallenge(ctx, 'enrol', actor)
  const enrolment = { existing: existingPasskeys, challenge, isAdmin: isPrivileged(actor) }
  return webauthn.writeEnrolmentOptions(ctx.config, { id: accountId, label: email ?? name, name }, enrolment)
}

/**
 * @throws Refusal passkey_refused, too_many_passkeys, enrolment_code_required, challenge_invalid
 */
export async function addPasskey(
  ctx: Context,
  actor: Actor,
  { name, response }: { name: string; response: RegistrationResponse },
): Promise<AddedFactor> {
  const { accountId } = actor
  const challenge = await consumeResponseChallenge(ctx, response, 'enrol', actor)
  const mustVerify = isPrivileged(actor)
  const createdPasskey = await logRefusal(ctx, accountId, () =>
    webauthn.verifyEnrolment(ctx.config, response, { challenge, mustVerify }),
  )
  const newCodes = await createFirstRecoveryCodes(ctx, accountId)
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    await assertMayEnrol(tx, actor)
    const isFirst = (await listFactorMethods(tx, accountId)).length === 0
    if ((await store.listPasskeys(tx, accountId)).length >= MAX_PASSKEYS) {
      throw new Refusal('too_many_passkeys', `An account has at most ${MAX_PASSKEYS} passkeys. Remove one first.`)
    }
    const isNew = await store.insertPasskey(tx, { ...createdPasskey, accountId, name, createdAt: ctx.clock.now() })
    if (!isNew) throw webauthn.refuse('the credential id already exists')
    return recordFactorAdded(ctx, tx, actor, { factor: 'Passkey', isFirst, newCodes })
  })
}

/** @throws Refusal not_found */
export async function renamePasskey(ctx: Context, actor: Actor, id: string, name: string): Promise<void> {
  const { accountId } = actor
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    if (!(await store.renamePasskey(tx, { accountId, id, name }))) throw createUnknownRefusal()
  })
}

/** @throws Refusal not_found, last_way_in, last_factor */
export async function removePasskey(ctx: Context, actor: Actor, by: AuditActor, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await removeSignInMethod(ctx, tx, actor, async () => {
      if (!(await store.deletePasskey(tx, actor.accountId, id))) throw createUnknownRefusal()
      return true
    })
    await recordFactorRemoved(ctx, tx, actor.accountId, by, 'Passkey')
  })
}

const createUnknownRefusal = () => new Refusal('not_found', 'Passkey not found.')

/**
 * Creates the options of a sign-in. If a sign-in waits for its second factor, the options are for
 * that factor. Otherwise they are for a sign-in with the passkey alone, and `browserSecret` is set:
 * the cookie that the challenge belongs to.
 */
export async function startSignIn(ctx: Context, browser: Browser) {
  const pendingSession = await findPendingSession(ctx, browser.sessionCookie)
  if (!pendingSession) {
    const browserSecret = createSecret()
    const challenge = await createChallenge(ctx, 'sign-in', { browserSecret })
    return {
      options: await webauthn.writeSignInOptions(ctx.config, { allowed: [], challenge, mustVerify: true }),
      browserSecret,
    }
  }
  const { account, session } = pendingSession
  const challenge = await createChallenge(ctx, 'factor', { sessionId: session.id })
  const allowedPasskeys = await store.listPasskeys(ctx.db, account.id)
  const mustVerify = isPrivileged(account)
  return {
    options: await webauthn.writeSignInOptions(ctx.config, { allowed: allowedPasskeys, challenge, mustVerify }),
    browserSecret: null,
  }
}

/**
 * Completes the sign-in that waits for a second factor. If no sign-in waits, signs in with the
 * passkey alone, which must then verify the user.
 * @throws Refusal passkey_refused, account_suspended
 */
export async function signInWithPasskey(
  ctx: Context,
  { response, rememberMe }: { response: AuthenticationResponse; rememberMe: boolean },
  { browser, browserSecret }: { browser: Browser; browserSecret: string | undefined },
): Promise<SignedIn> {
  const pendingSession = await findPendingSession(ctx, browser.sessionCookie)
  if (pendingSession) {
    const { account, session } = pendingSession
    await verifyPasskey(ctx, response, { purpose: 'factor', holder: { sessionId: session.id }, ownerId: account.id })
    const ids = { sessionId: session.id, accountId: account.id }
    return ctx.db.transaction(async (tx) => {
      const session = await completeSession(ctx, tx, ids, browser, FACTOR)
      // After a password reset, a passkey can sign in alone again only after a sign-in with the new
      // password. An intruder does not know it, but may have added the other sign-in methods.
      if (pendingSession.session.method === 'password') await store.allowSignInAlone(tx, response.id)
      return session
    })
  }
  const holder = { browserSecret: browserSecret ?? '' }
  const { accountId } = await verifyPasskey(ctx, response, { purpose: 'sign-in', holder, ownerId: null })
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId)
    const passkey = await store.findPasskey(tx, response.id)
    if (!account || !passkey) throw webauthn.refuse('the passkey was removed')
    if (!passkey.signsInAlone) throw new Refusal('passkey_refused', AFTER_RESET_MESSAGE)
    return startSession(ctx, tx, account, browser, { way: FACTOR, factor: FACTOR, rememberMe })
  })
}

export async function startConfirmation(ctx: Context, actor: Actor) {
  const challenge = await createChallenge(ctx, 'confirm', actor)
  const allowedPasskeys = await store.listPasskeys(ctx.db, actor.accountId)
  const mustVerify = isPrivileged(actor)
  return webauthn.writeSignInOptions(ctx.config, { allowed: allowedPasskeys, challenge, mustVerify })
}

/** Reauthenticates the session with a passkey. */
export async function confirmWithPasskey(
  ctx: Context,
  actor: Actor,
  response: AuthenticationResponse,
): Promise<RenewedSession> {
  await verifyPasskey(ctx, response, { purpose: 'confirm', holder: actor, ownerId: actor.accountId })
  return ctx.db.transaction((tx: Tx) => renewSession(ctx, tx, actor, { factorAt: ctx.clock.now() }))
}

interface Use {
  purpose: 'sign-in' | 'factor' | 'confirm'
  holder: Holder
  /** The account that must own the passkey; null if the passkey identifies the account. */
  ownerId: string | null
}

/** Verifies a response and stores the new counter. The challenge is consumed even if this fails. */
async function verifyPasskey(ctx: Context, response: AuthenticationResponse, { purpose, holder, ownerId }: Use) {
  return logRefusal(ctx, ownerId, async () => {
    const challenge = await consumeResponseChallenge(ctx, response, purpose, holder)
    const passkey = await store.findPasskey(ctx.db, response.id)
    if (!passkey || (ownerId !== null && passkey.accountId !== ownerId)) throw webauthn.refuse('unknown credential')
    const account = await getAccount(ctx.db, passkey.accountId)
    const mustVerify = purpose === 'sign-in' || isPrivileged(account)
    const verifiedUse = await webauthn.verifyUse(ctx.config, response, { challenge, passkey, mustVerify })
    if (!(await store.recordUse(ctx.db, passkey.id, { ...verifiedUse, at: ctx.clock.now() }))) {
      throw webauthn.refuse('a parallel use has a higher counter')
    }
    return passkey
  })
}

async function consumeResponseChallenge(
  ctx: Context,
  { response }: { response: { clientDataJSON: string } },
  purpose: Parameters<typeof consumeChallenge>[2],
  holder: Holder,
): Promise<string> {
  const challenge = webauthn.readChallenge(response.clientDataJSON)
  if (challenge && (await consumeChallenge(ctx, challenge, purpose, holder))) return challenge
  throw webauthn.refuse('the challenge is unknown, expired, used, or belongs to another session')
}

/** Logs why a passkey was refused, because the response does not contain the reason. */
async function logRefusal<Answer>(ctx: Context, accountId: string | null, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof webauthn.PasskeyRefused) {
      const detail = `Passkey refused: ${error.why}`
      ctx.queueSecurityEvent({ at: ctx.clock.now(), category: 'sign-in', kind: 'factor_failed', accountId, detail })
    }
    throw error
  }
}
