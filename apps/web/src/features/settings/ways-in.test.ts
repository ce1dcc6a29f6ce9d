import type { AccountProfile } from '@tocsin/protocol'
import { describe, expect, test } from 'vitest'
import { whyLastWayIn } from './ways-in.ts'

const at = '2026-11-21T12:00:00.000Z'
const bare: AccountProfile = {
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
const wallet = (address: string) => ({ address, linkedAt: at, isProvedHere: false })

describe('the last way in stays', () => {
  test.each([
    ['one wallet', { ...bare, wallets: [wallet('0xa')] }, { wallet: '0xa' }],
    ['one provider', { ...bare, identities: [google] }, { provider: 'google' as const }],
    [
      'a password without an address to log in with',
      { ...bare, hasPassword: true, wallets: [wallet('0xa')] },
      { wallet: '0xa' },
    ],
  ])('%s', (_case, account, way) => expect(whyLastWayIn(account, way)).toMatch(/only way/))
})

describe('another way in is left', () => {
  test.each([
    ['two wallets', { ...bare, wallets: [wallet('0xa'), wallet('0xb')] }, { wallet: '0xa' }],
    ['two providers', { ...bare, identities: [google, linkedin] }, { provider: 'google' as const }],
    ['a wallet and a provider', { ...bare, identities: [google], wallets: [wallet('0xa')] }, { wallet: '0xa' }],
    [
      'e-mail and password',
      { ...bare, email: 'm@x.y', hasPassword: true, identities: [google] },
      { provider: 'google' as const },
    ],
  ])('%s', (_case, account, way) => expect(whyLastWayIn(account, way)).toBeNull())
})
