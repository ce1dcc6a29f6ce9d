import { BaseError, UserRejectedRequestError } from 'viem'
import { describe, expect, it } from 'vitest'
import { explainError, isUnknownChain } from './explain-error.ts'

const providerError = (code: number, message = 'said by the wallet', data?: unknown) =>
  Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) })

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
    [{ code: -32601, message: 'plain object' }, 'unsupported', 'Your wallet can’t do this step.'],
    // Words never make a rejection: an aborted request is not a person's decision.
    [providerError(-32000, 'User rejected the request'), 'other', 'Transaction failed'],
    ['a string', 'other', 'Transaction failed'],
  ])('%s is %s', (error, kind, message) => {
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
  ])('%# answers %s', (error, expected) => {
    expect(isUnknownChain(error)).toBe(expected)
  })
})
