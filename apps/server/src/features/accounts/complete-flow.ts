import type { IdentityProvider, ProviderError } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import {
  type Account,
  insertAccount,
  lockAccount,
  lockAccountByEmail,
  updateAccount,
} from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { mailSignInMethod } from '../sessions/mail-sign-in-method.ts'
import { type RenewedSession, renewSession } from '../sessions/renew-session.ts'
import { endOtherSessionsOf, endSessionsOf, recordAccountCreated } from '../sessions/service.ts'
import { type SignedIn, startSession } from '../sessions/start-session.ts'
import { chooseDisplayName, decideSignIn, getVerifiedEmail } from './identity.ts'
import {
  findIdentity,
  type Identity,
  insertIdentity,
  lockIdentity,
  type ProviderFlow,
  updateIdentityEmail,
} from './identity-store.ts'
import { lockAddress, voidSignUps } from './pending-sign-up-store.ts'
import type { ProviderClaims } from './provider.ts'
import { providerNames, removeIdentity } from './unlink-identity.ts'

/** Rejects the provider sign-in. It is thrown so that the transaction rolls back. */
export class FlowRejected extends Error {
  readonly error: ProviderError

  constructor(error: ProviderError) {
    super(error)
    this.error = error
  }
}

/** The session for the browser, and the page to which the browser is redirected. */
export type CompletedFlow = { returnTo: string; signedIn: SignedIn } | { returnTo: string; renewed: RenewedSession }

/**
 * Completes the provider flow: signs in, or links or confirms the identity in the session that
 * started the flow.
 */
export async function completeFlow(
  ctx: Context,
  tx: Tx,
  flow: ProviderFlow,
  claims: ProviderClaims,
  { actor, browser }: { actor: Actor | null; browser: Browser },
): Promise<CompletedFlow> {
  const { returnTo, provider } = flow
  await lockIdentity(tx, claims)
  const identity = await findIdentity(tx, claims)
  if (flow.purpose === 'sign-in') {
    const account = await lockAccount(
      tx,
      identity?.accountId ?? (await createOrClaimAccount(ctx, tx, provider, claims)),
    )
    // A password reset may have removed the identity before the account was locked.
    const linkedIdentity = account && (await findIdentity(tx, claims))
    if (!linkedIdentity) throw new FlowRejected('failed')
    await saveEmail(tx, linkedIdentity, claims)
    const entry = { way: providerNames[provider], rememberMe: false }
    return { returnTo, signedIn: await startSession(ctx, tx, account, browser, entry) }
  }
  // Only the session that started the flow may complete it. Otherwise an attacker could link their
  // own identity to a victim’s account.
  if (!actor || actor.sessionId !== flow.sessionId) throw new FlowRejected('failed')
  if (flow.purpose === 'confirm') {
    const renewedSession = await renewSession(ctx, tx, actor, { authenticatedAt: ctx.clock.now() })
    const linkedIdentity = await findIdentity(tx, claims)
    if (linkedIdentity?.accountId !== actor.accountId) throw new FlowRejected('failed')
    await saveEmail(tx, linkedIdentity, claims)
    return { returnTo, renewed: renewedSession }
  }
  const renewedSession = await renewSession(ctx, tx, actor)
  const linkedIdentity = await findIdentity(tx, claims)
  if (linkedIdentity && linkedIdentity.accountId !== actor.accountId) throw new FlowRejected('identity_taken')
  if (linkedIdentity) await saveEmail(tx, linkedIdentity, claims)
  else {
    // An account has at most one identity per provider, so the former one is removed first.
    if (await removeIdentity(ctx, tx, actor.accountId, provider)) await endOtherSessionsOf(ctx, tx, actor)
    await link(ctx, tx, actor.accountId, provider, claims)
    await mailSignInMethod(ctx, tx, actor.accountId, { change: 'added', method: providerNames[provider] })
  }
  return { returnTo, renewed: renewedSession }
}

/** Stores the address that the provider reported. The account must be locked. */
async function saveEmail(tx: Tx, identity: Identity, { email }: ProviderClaims): Promise<void> {
  if (identity.email !== email) await updateIdentityEmail(tx, identity, email)
}

/**
 * Creates or takes over an account for an identity that is not linked yet.
 * @throws FlowRejected email_not_verified; email_in_use if the address belongs to a verified or
 *   staff account
 */
async function createOrClaimAccount(
  ctx: Context,
  tx: Tx,
  provider: IdentityProvider,
  claims: ProviderClaims,
): Promise<string> {
  const email = getVerifiedEmail(claims)
  if (email !== null) await lockAddress(tx, email)
  const sameEmail = email === null ? undefined : await lockAccountByEmail(tx, email)
  const decision = decideSignIn(claims, sameEmail)
  if (decision.kind === 'refuse') throw new FlowRejected(decision.error)
  const account =
    decision.kind === 'create'
      ? await create(ctx, tx, claims, decision.email)
      : await takeOver(ctx, tx, claims, decision.account)
  if (email !== null) await voidSignUps(tx, email, ctx.clock.now())
  await link(ctx, tx, account, provider, claims)
  if (decision.kind !== 'create')
    await mailSignInMethod(ctx, tx, account, { change: 'added', method: providerNames[provider] })
  return account
}

async function create(ctx: Context, tx: Tx, claims: ProviderClaims, email: string): Promise<string> {
  const now = ctx.clock.now()
  const name = chooseDisplayName(claims, email)
  const createdAccount = await insertAccount(tx, { email, name, role: 'user', emailVerifiedAt: now, createdAt: now })
  // A concurrent request has just taken the address.
  if (!createdAccount) throw new FlowRejected('email_in_use')
  await recordAccountCreated(tx, createdAccount.id, now)
  return createdAccount.id
}

async function takeOver(ctx: Context, tx: Tx, claims: ProviderClaims, account: Account): Promise<string> {
  const now = ctx.clock.now()
  const name = chooseDisplayName(claims, account.email ?? '')
  await updateAccount(tx, account.id, { name, passwordHash: null, emailVerifiedAt: now })
  await endSessionsOf(ctx, tx, account.id)
  await recordActivity(tx, {
    accountId: account.id,
    kind: 'email_verified',
    detail: `Confirmed ${account.email}; the former password was removed`,
    at: now,
  })
  return account.id
}

async function link(
  ctx: Context,
  tx: Tx,
  accountId: string,
  provider: IdentityProvider,
  claims: ProviderClaims,
): Promise<void> {
  const at = ctx.clock.now()
  const { issuer, subject, email } = claims
  await insertIdentity(tx, { issuer, subject, accountId, provider, email, linkedAt: at })
  const detail = `${providerNames[provider]} linked${email ? ` (${email})` : ''}`
  await recordActivity(tx, { accountId, kind: 'identity_linked', detail, at })
}
