import { getPlan } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { refusePlan } from './refuse-plan.ts'

const ito = 10n ** 18n
const buyer = { isConnected: true, hasSubscription: false, balanceWei: 10n * ito }

it.each([
  ['without a wallet', { isConnected: false }, 'Wallet not connected'],
  ['with an active plan', { hasSubscription: true }, 'You already have an active subscription'],
  [
    'with one base unit too little',
    { balanceWei: 10n * ito - 1n },
    'Insufficient ITO tokens. You need 10 ITO but only have 9.99 ITO.',
  ],
  ['with nothing', { balanceWei: 0n }, 'Insufficient ITO tokens. You need 10 ITO but only have 0.00 ITO.'],
  [
    'with a balance that could not be read',
    { balanceWei: null },
    'Insufficient ITO tokens. You need 10 ITO but only have 0.0 ITO. Your balance could not be read: try again.',
  ],
  ['at exactly the price', {}, null],
])('a plan %s is refused with its reason, or not at all', (_name, change, sentence) => {
  expect(refusePlan(getPlan('6h'), { ...buyer, ...change })).toBe(sentence)
})
