import { type LoginResponse, listPermissions, type SessionUser } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Account } from './account-store.ts'
import { mustEnrol } from './second-factor.ts'
import type { SignedIn } from './start-session.ts'

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

/** Presents the result of a sign-in, which may still need a second factor. */
export function presentSignIn(
  { config }: Context,
  { account, awaitedFactor, hasFactor }: SignedIn,
  facts: { message?: string; wallets?: string[]; provedWallets?: string[] } = {},
): LoginResponse {
  if (awaitedFactor) {
    const message = 'Confirm your sign-in with your second factor.'
    return { success: false, requiresVerification: false, message, awaitedFactor }
  }
  const { message = 'Signed in', wallets = [], provedWallets = [] } = facts
  const hasToEnrol = mustEnrol(config, account, hasFactor)
  const user = presentSessionUser(account, { mustEnrol: hasToEnrol, wallets, provedWallets })
  return { success: true, requiresVerification: false, message, user }
}
