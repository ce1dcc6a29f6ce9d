import { expect, it } from 'vitest'
import { decideDelivery } from './delivery.ts'

const endsAt = new Date('2026-11-21T15:00:00.000Z')

it.each([
  ['somebody without a plan gets nothing', { isAdmin: false, entitlement: null }, false, Number.NEGATIVE_INFINITY],
  ['a subscriber gets it until the end', { isAdmin: false, entitlement: { endsAt } }, true, endsAt.getTime()],
  ['an admin gets it', { isAdmin: true, entitlement: null }, true, Number.POSITIVE_INFINITY],
  ['an admin’s plan limits nothing', { isAdmin: true, entitlement: { endsAt } }, true, Number.POSITIVE_INFINITY],
])('%s', (_name, recipient, inApp, untilMs) => {
  expect(decideDelivery(recipient)).toEqual({ inApp, untilMs })
})
