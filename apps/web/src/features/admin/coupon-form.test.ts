import { createCouponRequest } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { type CouponDraft, createEmptyCoupon, parseCoupon } from './coupon-form.ts'

const now = Date.parse('2026-11-24T12:00:00.000Z')
const createDraft = (change: Partial<CouponDraft> = {}): CouponDraft => ({
  ...createEmptyCoupon(now),
  value: '20',
  note: 'Launch',
  ...change,
})

test.each<[keyof CouponDraft, Partial<CouponDraft>]>([
  ['code', { code: 'no spaces' }],
  ['value', { value: '' }],
  ['value', { value: '0' }],
  ['value', { value: '101' }],
  ['value', { value: '12.5' }],
  ['value', { value: '-5' }],
  ['value', { kind: 'amount', value: '0' }],
  ['value', { kind: 'amount', value: '1e3' }],
  ['value', { kind: 'amount', value: '1,250' }],
  ['value', { kind: 'amount', value: ' 12,500 ' }],
  ['value', { kind: 'amount', value: '0.0000000000000000001' }],
  ['planTypes', { planTypes: [] }],
  ['maxUses', { maxUses: '0' }],
  ['maxUsesPerAccount', { maxUsesPerAccount: 'many' }],
  ['expiresAt', { expiresAt: '' }],
  ['expiresAt', { expiresAt: '2020-01-01T00:00' }],
  ['note', { note: ' ' }],
])('parseCoupon: names the field %s when it is invalid', (field, change) => {
  expect(parseCoupon(createDraft(change), now)).toEqual({ problems: { [field]: expect.any(String) } })
})

test.each<[string, Partial<CouponDraft>, object]>([
  ['a percentage', {}, { percent: 20 }],
  ['an exact amount', { kind: 'amount', value: '2,500000000000000001' }, { amountWei: '2500000000000000001' }],
  ['a decimal comma', { kind: 'amount', value: '0,125' }, { amountWei: '125000000000000000' }],
  ['a decimal point', { kind: 'amount', value: '1.250' }, { amountWei: '1250000000000000000' }],
  ['a code in capital letters', { code: ' launch-26 ' }, { code: 'LAUNCH-26' }],
])('parseCoupon: converts %s to a request that the server accepts', (_, change, expected) => {
  const parsedCoupon = parseCoupon(createDraft(change), now)
  expect(parsedCoupon).toMatchObject({ body: expected })
  expect(createCouponRequest.safeParse('body' in parsedCoupon ? parsedCoupon.body : null).success).toBe(true)
})
