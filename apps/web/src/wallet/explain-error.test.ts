import { BaseError, ChainMismatchError, defineChain, InsufficientFundsError, UserRejectedRequestError } from 'viem'
import { describe, expect, it } from 'vitest'
import { explainError, isUnknownChain } from './explain-error.ts'

const providerError = (code: number, message = 'said by the wallet', data?: unknown) =>
  Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) })

const local = defineChain({
  id: 31337,
  name: 'Local Chain',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

describe('explainError', () => {
  it.each([
    [providerError(4001), 'rejected', 'You cancelled in your wallet. Nothing was sent.'],
    [
      new BaseError('outer', { cause: new UserRejectedRequestError(providerError(4001)) }),
      'rejected',
      'You cancelled in your wallet. Nothing was sent.',
    ],
    [providerError(4100), 'unauthorized', 'This site is not connected to that account. Connect again.'],
    [providerError(4900), 'offline', 'Your wallet is offline for Local Chain.'],
    [providerError(-32002), 'already_open', 'A request is already open in your wallet. Open it to continue.'],
    [{ code: -32601, message: 'plain object' }, 'unsupported', 'Your wallet does not support this step.'],
    [providerError(4200), 'unsupported', 'Your wallet does not support this step.'],
    [providerError(4901), 'offline', 'Your wallet is offline for Local Chain.'],
    [
      new BaseError('outer', { cause: new ChainMismatchError({ chain: local, currentChainId: 1 }) }),
      'wrong_chain',
      'Your wallet is not on Local Chain. Switch it and try again. Nothing was sent.',
    ],
    [new InsufficientFundsError(), 'insufficient_gas', 'You do not have enough for the network fee.'],
    [
      providerError(-32000, 'insufficient funds for gas * price + value'),
      'insufficient_gas',
      'You do not have enough for the network fee.',
    ],
    // The message alone does not identify a rejection: the request may have been aborted.
    [providerError(-32000, 'User rejected the request'), 'other', 'Transaction failed'],
    ['a string', 'other', 'Transaction failed'],
  ])('explains %s as %s', (error, kind, message) => {
    const explained = explainError(error, 'Local Chain', 'Transaction failed')
    expect([explained.kind, explained.message]).toEqual([kind, message])
  })
})

describe('isUnknownChain', () => {
  it.each([
    [providerError(4001), false],
    [providerError(-32603), false],
    [providerError(4902), true],
    [providerError(-32603, 'Internal error', { originalError: { code: 4902 } }), true],
    [providerError(-32000, 'Unrecognized chain ID "0x7a69"'), true],
  ])('case %#: returns %s', (error, expected) => {
    expect(isUnknownChain(error)).toBe(expected)
  })
})
