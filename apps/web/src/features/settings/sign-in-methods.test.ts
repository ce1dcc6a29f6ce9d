import type { AccountProfile } from '@tocsin/protocol'
import { describe, expect, test } from 'vitest'
import { getLastMethodReason } from './sign-in-methods.ts'

const at = '2026-11-21T12:00:00.000Z'
const emptyAccount: AccountProfile = {
  id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  name: 'Mara',
  email: null,
  emailVerified: false,
  pendingEmail: null,
  hasPassword: false,
  isAdmin: false,
  createdAt: at,
  authenticatedAt: at,
  identities: [],
  wallets: [],
}
const google = { provider: 'google' as const, email: 'mara@example.com', linkedAt: at }
const linkedin = { ...google, provider: 'linkedin' as const }
const createWallet = (address: string) => ({ address, linkedAt: at, isProvedHere: false })

describe('getLastMethodReason: returns the reason why the sign-in method cannot be removed', () => {
  test.each([
    ['the only method is a wallet', { ...emptyAccount, wallets: [createWallet('0xa')] }, { wallet: '0xa' }],
    ['the only method is a provider', { ...emptyAccount, identities: [google] }, { provider: 'google' as const }],
    [
      'the password can’t be used without an email',
      { ...emptyAccount, hasPassword: true, wallets: [createWallet('0xa')] },
      { wallet: '0xa' },
    ],
  ])('when %s', (_case, account, method) => expect(getLastMethodReason(account, method, 0)).toMatch(/only sign-in/))
})

describe('getLastMethodReason: returns null', () => {
  test.each([
    [
      'there are two wallets',
      { ...emptyAccount, wallets: [createWallet('0xa'), createWallet('0xb')] },
      { wallet: '0xa' },
    ],
    ['there are two providers', { ...emptyAccount, identities: [google, linkedin] }, { provider: 'google' as const }],
    [
      'there are a wallet and a provider',
      { ...emptyAccount, identities: [google], wallets: [createWallet('0xa')] },
      { wallet: '0xa' },
    ],
    [
      'there are email and password',
      { ...emptyAccount, email: 'm@x.y', hasPassword: true, identities: [google] },
      { provider: 'google' as const },
    ],
  ])('when %s', (_case, account, method) => expect(getLastMethodReason(account, method, 0)).toBeNull())

  test('when there is a passkey', () => {
    const account = { ...emptyAccount, wallets: [createWallet('0xa')] }
    expect(getLastMethodReason(account, { wallet: '0xa' }, 1)).toBeNull()
  })
})
