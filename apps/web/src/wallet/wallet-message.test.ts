import { expect, it } from 'vitest'
import { WalletError } from './wallet-error.ts'
import { formatWalletMessage } from './wallet-message.ts'

const longText = 'é😀'.repeat(100)

it.each([
  ['a rejection', new WalletError('rejected', 'ours', 'User rejected the request.'), 'User rejected the request.'],
  ['an error with several lines', new WalletError('other', 'ours', ' First line\r\nat provider.js:1'), 'First line'],
  [
    'an error with a long message',
    new WalletError('other', 'ours', longText),
    `${[...longText].slice(0, 119).join('')}…`,
  ],
  ['an error without a message', new WalletError('rejected', 'ours', ''), null],
  ['an error that this site detected', new WalletError('invalid_response', 'ours', 'eth_accounts returned null'), null],
  ['another error', new Error('fetch failed'), null],
])('formatWalletMessage: returns the wallet’s message, or null, for %s', (_name, error, message) => {
  expect(formatWalletMessage(error)).toBe(message)
})
