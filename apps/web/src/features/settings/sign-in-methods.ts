import type { AccountProfile, IdentityProvider } from '@tocsin/protocol'

type SignInMethod = { provider: IdentityProvider } | { wallet: string }

/**
 * The reason why this sign-in method can't be removed: it is the last one. Null if there are
 * others. The server enforces this; the page only hides the button.
 */
export function lastSignInMethodReason(account: AccountProfile, method: SignInMethod): string | null {
  const { hasPassword, email, identities, wallets } = account
  const others =
    Number(hasPassword && email !== null) +
    identities.filter(({ provider }) => !('provider' in method && method.provider === provider)).length +
    wallets.filter(({ address }) => !('wallet' in method && method.wallet === address)).length
  return others > 0 ? null : 'Your only way to sign in: add another before you unlink it.'
}
