import { expect, it } from 'vitest'
import { getDisplayName } from './user-texts.ts'

const wallet = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'

it.each([
  [{ name: 'Mara Okafor', email: 'mara@northquay.io', walletAddress: wallet }, 'Mara Okafor'],
  [{ name: ' ', email: 'mara@northquay.io', walletAddress: wallet }, 'mara@northquay.io'],
  [{ name: '', email: null, walletAddress: wallet }, '0x71C7…976F'],
  [{ name: '', email: null, walletAddress: null }, 'Unknown User'],
])('getDisplayName: for %o, returns "%s"', (user, words) => {
  expect(getDisplayName(user)).toBe(words)
})
