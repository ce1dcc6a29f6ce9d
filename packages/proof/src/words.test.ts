import { expect, test } from 'vitest'
import { shortenHashes } from './words.ts'

const hash = `0x${'ab'.repeat(32)}` as const

test.each([
  [`0x11${hash.slice(4)}`, '11ab…abab', 'abab…abab'],
  [`${hash.slice(0, 40)}c${hash.slice(41)}`, 'abab…cbab…abab', 'abab…abab…abab'],
  [`${hash.slice(0, 65)}0`, 'abab…aba0', 'abab…abab'],
] as const)('shortenHashes: shows where %s differs from another hash', (other, ...expectedHashes) => {
  expect(shortenHashes(other as typeof hash, hash)).toEqual(expectedHashes)
})
