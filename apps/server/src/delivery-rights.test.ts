import { expect, it } from 'vitest'
import { decideDeliveryRights } from './delivery-rights.ts'

const endsAt = new Date('2026-11-21T15:00:00.000Z')

it.each([
  ['delivers nothing to an account without a plan', { readsAll: false, entitlement: null }, Number.NEGATIVE_INFINITY],
  ['delivers to a subscriber until the plan ends', { readsAll: false, entitlement: { endsAt } }, endsAt.getTime()],
  ['delivers to an admin without a time limit', { readsAll: true, entitlement: null }, Number.POSITIVE_INFINITY],
  [
    'delivers to an admin with a plan without a time limit',
    { readsAll: true, entitlement: { endsAt } },
    Number.POSITIVE_INFINITY,
  ],
])('decideDeliveryRights: %s', (_name, recipient, untilMs) => {
  expect(decideDeliveryRights(recipient)).toBe(untilMs)
})
