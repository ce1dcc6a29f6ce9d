import { expect, it } from 'vitest'
import { shortHash, shortHex } from './short-hex.ts'

it.each([
  ['0x71C7656EC7ab88b098defB751B7401B5f6d8976F', '0x71C7…976F'],
  ['0x71C7976F', '0x71C7976F'],
  ['', ''],
])('shortHex: "%s" becomes "%s"', (value, shortText) => {
  expect(shortHex(value)).toBe(shortText)
})

it('shortHash: drops the 0x prefix', () => {
  expect(shortHash(`0x46f7${'0'.repeat(56)}fa92`)).toBe('46f7…fa92')
})
