import { BaseError, ChainMismatchError, defineChain, InsufficientFundsError, UserRejectedRequestError } from 'viem'
import { describe, expect, it } from 'vitest'
import { explainError, isUnknownChain } from './explain-error.ts'

const createProviderError = (code: number, message = 'said by the wallet', data?: unknown) =>
  Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) })

const localChain = defineChain({
  id: 31337,
  name: 'Local Chain',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

describe('explainError', () => {
  it.each([
    [createProviderError(4001), 'rejected', 'You cancelled in your wallet. Nothing was sent.'],
    [
      new BaseError('outer', { cause: new UserRejectedRequestError(createProviderError(4001)) }),
      'rejected',
      'You cancelled in your wallet. Nothing was sent.',
    ],
    [createProviderError(4100), 'unauthorized', 'This site is not connected to that account. Connect again.'],
    [createProviderError(4900), 'offline', 'Your wallet is offline for Local Chain.'],
    [createProviderError(-32002), 'already_open', 'A request is already open in your wallet. Open it to continue.'],
    [{ code: -32601, message: 'plain object' }, 'unsupported', 'Your wallet does not support this step.'],
    [createProviderError(4200), 'unsupported', 'Your wallet does not support this step.'],
    [createProviderError(4901), 'offline', 'Your wallet is offline for Local Chain.'],
    [
      new BaseError('outer', { cause: new ChainMismatchError({ chain: localChain, currentChainId: 1 }) }),
      'wrong_chain',
      'Your wallet is not on Local Chain. Switch it and try again. Nothing was sent.',
    ],
    [new InsufficientFundsError(), 'insufficient_gas', 'You do not have enough for the network fee.'],
    [
      createProviderError(-32000, 'insufficient funds for gas * price + value'),
      'insufficient_gas',
      'You do not have enough for the network fee.',
    ],
    // The message alone does not identify a rejection: the request may have been aborted.
    [createProviderError(-32000, 'User rejected the request'), 'other', 'Transaction failed'],
    ['a string', 'other', 'Transaction failed'],
  ])('explains %s as %s', (error, kind, message) => {
    const explainedError = explainError(error, 'Local Chain', 'Transaction failed')
    expect([explainedError.kind, explainedError.message]).toEqual([kind, message])
  })
})

describe('isUnknownChain', () => {
  it.each([
    [createProviderError(4001), false],
    [createProviderError(-32603), false],
    [createProviderError(4902), true],
    [createProviderError(-32603, 'Internal error', { originalError: { code: 4902 } }), true],
    [createProviderError(-32000, 'Unrecognized chain ID "0x7a69"'), true],
  ])('error %j: returns %s', (error, expected) => {
    expect(isUnknownChain(error)).toBe(expected)
  })
})
