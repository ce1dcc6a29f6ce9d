import { getPlan } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { findRefusalReason } from './refuse-plan.ts'

const ito = 10n ** 18n
const buyer = { isConnected: true, hasSubscription: false, isOnChain: true, balanceWei: 10n * ito }

it.each([
  ['no wallet is connected', { isConnected: false }, 'Wallet not connected'],
  ['a plan is active', { hasSubscription: true }, 'You already have an active subscription'],
  ['the balance is too low (null: the dialog shows the missing amount)', { balanceWei: 0n }, null],
  [
    'the balance could not be read',
    { balanceWei: null },
    'Insufficient ITO tokens. You need 10 ITO but only have 0.0 ITO. Your balance could not be read: try again.',
  ],
  [
    'the wallet is on another network (null: the dialog offers to switch)',
    { isOnChain: false, balanceWei: null },
    null,
  ],
  ['the balance is exactly the price', {}, null],
])('findRefusalReason: returns the reason or null when %s', (_name, change, reason) => {
  expect(findRefusalReason(getPlan('6h'), { ...buyer, ...change })).toBe(reason)
})
