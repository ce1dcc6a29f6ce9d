import { expect, it } from 'vitest'
import { decideDeliveryRights } from './delivery-rights.ts'

const endsAt = new Date('2026-11-21T15:00:00.000Z')

it.each([
  [
    'delivers nothing to an account without a plan',
    { readsAll: false, entitlement: null },
    false,
    Number.NEGATIVE_INFINITY,
  ],
  [
    'delivers to a subscriber until the plan ends',
    { readsAll: false, entitlement: { endsAt } },
    true,
    endsAt.getTime(),
  ],
  ['delivers to an admin without a time limit', { readsAll: true, entitlement: null }, true, Number.POSITIVE_INFINITY],
  [
    'delivers to an admin with a plan without a time limit',
    { readsAll: true, entitlement: { endsAt } },
    true,
    Number.POSITIVE_INFINITY,
  ],
])('decideDeliveryRights: %s', (_name, recipient, inApp, untilMs) => {
  expect(decideDeliveryRights(recipient)).toEqual({ inApp, channels: inApp, untilMs })
})
