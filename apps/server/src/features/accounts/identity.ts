import type { ProviderError } from '@tocsin/protocol'
import { normalizeEmail, parseDisplayName } from '../../email-address.ts'
import type { Account } from '../sessions/account-store.ts'
import { isUnclaimed } from './pending-sign-up.ts'
import type { ProviderClaims } from './provider.ts'

export type SignInDecision =
  | { kind: 'create'; email: string }
  /**
   * The account's address was never verified, so its owner may not own the address. The provider
   * has verified that its user owns the address.
   */
  | { kind: 'take-over'; account: Account }
  | { kind: 'refuse'; error: ProviderError }

/**
 * Decides what happens when an unlinked identity signs in. A matching address does not sign in to
 * an existing verified account: only the pair of issuer and subject identifies a user. The owner of
 * such an account links the provider in the settings.
 */
export function decideSignIn(claims: ProviderClaims, sameEmail: Account | undefined): SignInDecision {
  const email = getVerifiedEmail(claims)
  if (email === null) return { kind: 'refuse', error: 'email_not_verified' }
  if (!sameEmail) return { kind: 'create', email }
  if (!isUnclaimed(sameEmail)) return { kind: 'refuse', error: 'email_in_use' }
  return { kind: 'take-over', account: sameEmail }
}

/** Returns the normalized address if the provider has verified it, otherwise null. */
export function getVerifiedEmail({ email, isEmailVerified }: ProviderClaims): string | null {
  return email !== null && isEmailVerified ? normalizeEmail(email) : null
}

/**
 * Returns the name from the provider if it is valid, otherwise the local part of the address,
 * otherwise "Trader".
 */
export function chooseDisplayName(claims: ProviderClaims, email: string): string {
  for (const name of [claims.name, email.split('@')[0]]) {
    try {
      if (name) return parseDisplayName(name)
    } catch {
      // The name is not valid: try the next one.
    }
  }
  return 'Trader'
}
