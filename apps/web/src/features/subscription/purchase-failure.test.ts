import { expect, it } from 'vitest'
import { ApiError } from '../../api.ts'
import { WalletError } from '../../wallet/wallet-error.ts'
import type { Doing } from './purchase.ts'
import { describeFailure } from './purchase-failure.ts'

const unreachable = new TypeError('Failed to fetch')
const answer = (status: number, message: string) =>
  new ApiError(status, JSON.stringify({ success: false, code: 'x', message, requestId: 'r' }), '')
const wallet = new WalletError('other', 'Transaction failed')

it.each<[string, Doing, unknown, string]>([
  ['proving the wallet, no answer', 'proving', unreachable, 'Failed to create user'],
  ['proving the wallet, a proxy’s page', 'proving', new ApiError(502, '<html>', ''), 'Failed to create user'],
  ['proving the wallet, a fault', 'proving', answer(500, 'Our side'), 'Failed to create user: Our side'],
  [
    'proving the wallet, a refusal',
    'proving',
    answer(409, 'It belongs to another account.'),
    'It belongs to another account.',
  ],
  ['the transfer, the wallet', 'paying', wallet, 'Token transfer failed: Transaction failed'],
  ['the transfer, anything else', 'paying', unreachable, 'Token transfer failed'],
  ['the approval, the wallet', 'approving', wallet, 'Token transfer failed: Transaction failed'],
  ['the collection', 'approved', unreachable, 'Token transfer failed'],
  ['the order, no answer', 'ordering', unreachable, 'Failed to create subscription'],
  [
    'the order, a refusal',
    'ordering',
    answer(409, 'You already have an active subscription'),
    'You already have an active subscription',
  ],
  [
    'the report of the transaction, a fault',
    'reporting',
    answer(503, 'Not now'),
    'Failed to create subscription: Not now',
  ],
])('a purchase that fails at %s is described by its step, its reason or both', (_name, step, error, description) => {
  expect(describeFailure(step, error, error instanceof WalletError ? error.message : null)).toBe(description)
})
