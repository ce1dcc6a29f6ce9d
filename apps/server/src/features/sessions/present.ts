import { type LoginResponse, listPermissions, type SessionUser } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Account } from './account-store.ts'
import { listAddresses } from './linked-wallets.ts'
import { mustEnrol } from './second-factor.ts'
import type { SignedIn } from './start-session.ts'
import { findSession } from './store.ts'

interface SessionFacts {
  mustEnrol: boolean
  /** Wallets linked to the account. */
  wallets: string[]
  /** Wallets proved in this session. */
  provedWallets: string[]
}

export function presentSessionUser(account: Account, { mustEnrol, wallets, provedWallets }: SessionFacts): SessionUser {
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    isAdmin: account.role !== 'user',
    role: account.role,
    permissions: mustEnrol ? [] : listPermissions(account.role),
    mustEnrol,
    wallets,
    provedWallets,
    createdAt: account.createdAt.toISOString(),
  }
}

/**
 * Presents the result of a sign-in, which may still need a second factor. The page does not request
 * the current user afterwards, so the returned user has the same fields.
 */
export async function presentSignIn(
  { config, db }: Context,
  { account, sessionIdHash, awaitedFactor, hasFactor }: SignedIn,
  message = 'Signed in',
): Promise<LoginResponse> {
  if (awaitedFactor) {
    const hint = 'Confirm your sign-in with your second factor.'
    return { success: false, requiresVerification: false, message: hint, awaitedFactor }
  }
  const [wallets, foundSession] = await Promise.all([
    listAddresses(db, account.id),
    findSession(db, { idHash: sessionIdHash }),
  ])
  const user = presentSessionUser(account, {
    mustEnrol: mustEnrol(config, account, hasFactor),
    wallets,
    provedWallets: foundSession?.provedWallets ?? [],
  })
  return { success: true, requiresVerification: false, message, user }
}
