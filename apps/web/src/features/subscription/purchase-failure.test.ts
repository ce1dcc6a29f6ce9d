import { expect, it } from 'vitest'
import { ApiError } from '../../api/api.ts'
import { WalletError } from '../../wallet/wallet-error.ts'
import type { ActiveStep } from './purchase.ts'
import { describeFailure } from './purchase-failure.ts'

const unreachable = new TypeError('Failed to fetch')
const createError = (status: number, message: string) =>
  new ApiError(status, JSON.stringify({ success: false, code: 'x', message, requestId: 'r' }), '')
const wallet = new WalletError('reverted', 'The network rejected the payment.')
const unknown = new WalletError('other', 'Transaction failed')

it.each<[string, ActiveStep, unknown, string]>([
  ['the wallet proof gets no response', 'proving', unreachable, 'Failed to create user'],
  [
    'the wallet proof gets the error page of a proxy',
    'proving',
    new ApiError(502, '<html>', ''),
    'Failed to create user',
  ],
  ['the wallet proof gets a server error', 'proving', createError(500, 'Our side'), 'Failed to create user: Our side'],
  [
    'the wallet proof is rejected',
    'proving',
    createError(409, 'It belongs to another account.'),
    'It belongs to another account.',
  ],
  ['the wallet rejects the transfer', 'paying', wallet, 'Token transfer failed: The network rejected the payment.'],
  ['the wallet may have sent the transfer', 'paying', unknown, 'Payment not confirmed: Transaction failed'],
  ['the transfer gets no response', 'paying', unreachable, 'Token transfer failed'],
  ['the wallet rejects the approval', 'approving', wallet, 'Token transfer failed: The network rejected the payment.'],
  ['the wallet may have sent the approval', 'approving', unknown, 'Payment not confirmed: Transaction failed'],
  ['the wallet can’t prove the account', 'proving', unknown, 'Failed to create user: Transaction failed'],
  ['the collection gets no response', 'approved', unreachable, 'Token transfer failed'],
  ['the order gets no response', 'ordering', unreachable, 'Failed to create subscription'],
  [
    'the order is rejected',
    'ordering',
    createError(409, 'You already have an active subscription'),
    'You already have an active subscription',
  ],
  [
    'the report of the transaction gets a server error',
    'reporting',
    createError(503, 'Not now'),
    'Failed to create subscription: Not now',
  ],
])('describeFailure: names the step, the reason or both when %s', (_name, step, error, description) => {
  expect(describeFailure(step, error, error instanceof WalletError ? error.message : null)).toBe(description)
})
