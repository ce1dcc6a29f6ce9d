import { useQuery } from '@tanstack/react-query'
import type { AccountProfile, IdentityProvider } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'

type SignInMethod = { provider: IdentityProvider } | { wallet: string }

/**
 * The reason why this sign-in method can't be removed: it is the last one. Null if there are
 * others. The server enforces this; the page only hides the button.
 */
export function getLastMethodReason(
  account: AccountProfile,
  method: SignInMethod,
  passkeyCount: number,
): string | null {
  const { hasPassword, email, identities, wallets } = account
  const otherMethodCount =
    Number(hasPassword && email !== null) +
    identities.filter(({ provider }) => !('provider' in method && method.provider === provider)).length +
    wallets.filter(({ address }) => !('wallet' in method && method.wallet === address)).length +
    passkeyCount
  return otherMethodCount > 0 ? null : 'This is your only sign-in method. Add another one before you unlink it.'
}

/**
 * Calls `getLastMethodReason` with the number of passkeys of the account. The number is 0 until the
 * passkeys are loaded.
 */
export function useLastSignInMethodReason(account: AccountProfile, method: SignInMethod): string | null {
  const { data: factors } = useQuery(queries.factors)
  return getLastMethodReason(account, method, factors?.passkeys.length ?? 0)
}
