import type { AccessBesidesPassword, AccountProfile, AccountSession, Activity } from '@tocsin/protocol'
import { activity as activitySchema } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import type { Account } from '../sessions/account-store.ts'
import { describeDevice } from '../sessions/device.ts'
import { describeMethod } from '../sessions/session.ts'
import type { Session } from '../sessions/store.ts'
import type { Identity } from './identity-store.ts'
import type { AddedAccess } from './reset-password.ts'
import type { ActivityRow } from './store.ts'

export function presentActivity(row: ActivityRow): Activity {
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    kind: activitySchema.shape.kind.parse(row.kind),
    detail: row.detail,
    reference: row.reference,
    chainId: row.chainId,
  }
}

/** @param provedWallets the wallets that were proved in the current session */
function presentSignInMethods(
  { identities, wallets }: Pick<AccountParts, 'identities' | 'wallets'>,
  provedWallets: readonly string[],
): Omit<AccessBesidesPassword, 'destinations' | 'factors'> {
  return {
    identities: identities.map(({ provider, email, linkedAt }) => ({
      provider,
      email,
      linkedAt: linkedAt.toISOString(),
    })),
    wallets: wallets.map(({ address, linkedAt }) => ({
      address,
      linkedAt: linkedAt.toISOString(),
      isProvedHere: provedWallets.includes(address),
    })),
  }
}

export interface AccountParts {
  account: Account
  pendingEmail: string | null
  identities: Identity[]
  wallets: { address: string; linkedAt: Date }[]
}

export function presentAccount(
  { account, pendingEmail, identities, wallets }: AccountParts,
  actor: Actor,
): AccountProfile {
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    emailVerified: account.emailVerifiedAt !== null,
    pendingEmail,
    hasPassword: account.passwordHash !== null,
    isAdmin: account.role !== 'user',
    createdAt: account.createdAt.toISOString(),
    authenticatedAt: actor.authenticatedAt.toISOString(),
    ...presentSignInMethods({ identities, wallets }, actor.provedWallets),
  }
}

export function presentAddedAccess({ destinations, factors, ...signIn }: AddedAccess): AccessBesidesPassword {
  return {
    // A reset link is opened without a session.
    ...presentSignInMethods(signIn, []),
    destinations: destinations.map(({ id, kind, name, createdAt }) => ({
      id,
      kind,
      name,
      createdAt: createdAt.toISOString(),
    })),
    factors: factors.map(({ id, kind, name, addedAt }) => ({
      id,
      name: kind === 'passkey' ? `Passkey “${name}”` : name,
      addedAt: addedAt.toISOString(),
    })),
  }
}

export function presentSession({ findLocation }: Context, session: Session, actor: Actor): AccountSession {
  return {
    id: session.id,
    isCurrent: session.id === actor.sessionId,
    device: describeDevice(session.userAgent),
    method: describeMethod(session),
    place: findLocation(session.network),
    createdAt: session.createdAt.toISOString(),
    lastSeenAt: session.lastSeenAt.toISOString(),
    remembered: session.remembered,
  }
}
