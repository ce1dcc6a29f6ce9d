import { expect, it } from 'vitest'
import { WalletError } from './wallet-error.ts'
import { walletWords } from './wallet-words.ts'

const long = 'é😀'.repeat(100)

it.each([
  ['a refusal', new WalletError('rejected', 'ours', 'User rejected the request.'), 'User rejected the request.'],
  ['several lines', new WalletError('other', 'ours', ' First line\r\nat provider.js:1'), 'First line'],
  ['a long message', new WalletError('other', 'ours', long), `${[...long].slice(0, 119).join('')}…`],
  ['no message', new WalletError('rejected', 'ours', ''), null],
  ['a finding of this site', new WalletError('unusable', 'ours', 'eth_accounts was answered with null'), null],
  ['another error', new Error('fetch failed'), null],
])('the wallet’s words of %s', (_name, error, words) => {
  expect(walletWords(error)).toBe(words)
})
