import type { AccountProfile, IdentityProvider } from '@tocsin/protocol'

type Way = { provider: IdentityProvider } | { wallet: string }

/**
 * Why a way to sign in can't be taken off: it is the last one. Null when there is another. The
 * server decides; this spares people the button that would only be refused.
 */
export function whyLastWayIn(account: AccountProfile, way: Way): string | null {
  const { hasPassword, email, identities, wallets } = account
  const others =
    Number(hasPassword && email !== null) +
    identities.filter(({ provider }) => !('provider' in way && way.provider === provider)).length +
    wallets.filter(({ address }) => !('wallet' in way && way.wallet === address)).length
  return others > 0 ? null : 'Your only way to sign in: add another before you unlink it.'
}
