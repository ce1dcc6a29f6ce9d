import { expect, it } from 'vitest'
import { shortenHash, shortenHex } from './short-hex.ts'

it.each([
  ['0x71C7656EC7ab88b098defB751B7401B5f6d8976F', '0x71C7…976F'],
  ['0x71C7976F', '0x71C7976F'],
  ['', ''],
])('shortenHex: "%s" becomes "%s"', (value, shortText) => {
  expect(shortenHex(value)).toBe(shortText)
})

it('shortenHash: drops the 0x prefix', () => {
  expect(shortenHash(`0x46f7${'0'.repeat(56)}fa92`)).toBe('46f7…fa92')
})
