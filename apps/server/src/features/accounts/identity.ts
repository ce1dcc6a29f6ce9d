import type { ProviderError } from '@tocsin/protocol'
import { normalizeEmail, parseName } from './email-address.ts'
import type { ProviderClaims } from './provider.ts'
import type { Account } from './store.ts'

export type SignInDecision =
  | { kind: 'create'; email: string }
  /** Nobody ever confirmed that address: whoever registered with it may not be its owner, and the provider's person is. */
  | { kind: 'take-over'; account: Account }
  | { kind: 'refuse'; error: ProviderError }

/**
 * What an identity that no account is linked with opens. An equal address opens none: it is the pair of issuer and subject that counts, and
 * who has an account already links the provider from inside.
 */
export function decideSignIn(claims: ProviderClaims, sameEmail: Account | undefined): SignInDecision {
  const email = verifiedEmail(claims)
  if (email === null) return { kind: 'refuse', error: 'email_not_verified' }
  if (!sameEmail) return { kind: 'create', email }
  if (sameEmail.emailVerifiedAt || sameEmail.role === 'admin') return { kind: 'refuse', error: 'email_in_use' }
  return { kind: 'take-over', account: sameEmail }
}

/** The address in its normal form, if the provider vouches for it. */
export function verifiedEmail({ email, isEmailVerified }: ProviderClaims): string | null {
  return email !== null && isEmailVerified ? normalizeEmail(email) : null
}

/** What the provider calls the person, where that may be shown; else what stands before the @. */
export function nameOf(claims: ProviderClaims, email: string): string {
  for (const name of [claims.name, email.split('@')[0]]) {
    try {
      if (name) return parseName(name)
    } catch {
      // Not a name that may be shown.
    }
  }
  return 'Trader'
}
