import { createCouponRequest } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { computeDiscountedPrice, createRandomCode, type Discount } from './coupon.ts'

const ITO = 10n ** 18n

test.each<[string, Discount]>([
  ['without a discount', { percent: null, amountWei: null }],
  ['with a percentage and an amount', { percent: 10, amountWei: ITO }],
  ['of 0 percent', { percent: 0, amountWei: null }],
  ['of a negative percentage', { percent: -5, amountWei: null }],
  ['of more than 100 percent', { percent: 101, amountWei: null }],
  ['of a part of a percent', { percent: 12.5, amountWei: null }],
  ['of NaN percent', { percent: Number.NaN, amountWei: null }],
  ['of 0 wei', { percent: null, amountWei: 0n }],
  ['of a negative amount', { percent: null, amountWei: -1n }],
])('computeDiscountedPrice: throws when the discount is %s', (_, discount) => {
  expect(() => computeDiscountedPrice(30n * ITO, discount)).toThrow(RangeError)
})

test.each<[string, Discount, bigint]>([
  ['half of the price', { percent: 50, amountWei: null }, 15n * ITO],
  ['a third, rounded in favour of the operator', { percent: 33, amountWei: null }, 20_100_000_000_000_000_000n],
  ['the whole price', { percent: 100, amountWei: null }, 0n],
  ['one wei', { percent: null, amountWei: 1n }, 30n * ITO - 1n],
  ['exactly the price', { percent: null, amountWei: 30n * ITO }, 0n],
  ['more than the price', { percent: null, amountWei: 10n ** 40n }, 0n],
])('computeDiscountedPrice: subtracts %s', (_, discount, price) => {
  expect(computeDiscountedPrice(30n * ITO, discount)).toBe(price)
})

test('computeDiscountedPrice: returns a price from 0 to the list price for each percentage, even for odd prices', () => {
  for (let percent = 1; percent <= 100; percent++) {
    for (const listPrice of [1n, 99n, 10n * ITO, 75n * ITO + 1n]) {
      const price = computeDiscountedPrice(listPrice, { percent, amountWei: null })
      expect(price).toBeGreaterThanOrEqual(0n)
      expect(price).toBeLessThanOrEqual(listPrice)
    }
  }
})

const validCoupon = {
  percent: 10,
  planTypes: ['6h'],
  maxUses: 1,
  maxUsesPerAccount: 1,
  expiresAt: '2036-01-01T00:00:00.000Z',
  note: 'Launch',
}

test.each([
  ['percent', Number.NaN],
  ['percent', -10],
  ['percent', 0],
  ['percent', 101],
  ['percent', 1.5],
  ['percent', '10'],
  ['amountWei', '-1'],
  ['amountWei', '0'],
  ['amountWei', '1e18'],
  ['amountWei', 'NaN'],
  ['amountWei', '1'.repeat(28)],
  ['planTypes', []],
  ['planTypes', ['1y']],
  ['maxUses', 0],
  ['maxUses', Number.POSITIVE_INFINITY],
  ['maxUsesPerAccount', 0],
  ['code', 'SHORT'],
  ['code', 'WITH SPACE'],
  ['code', 'ÄÖÜÄÖÜ'],
  ['expiresAt', 'tomorrow'],
  ['note', '\u200b'],
])('createCouponRequest: rejects the field %s with the value %j', (field, value) => {
  const { percent, ...rest } = validCoupon
  const body = field === 'amountWei' ? { ...rest, amountWei: value } : { ...rest, percent, [field]: value }
  expect(createCouponRequest.safeParse(body).success).toBe(false)
})

test('createCouponRequest: rejects a percentage together with an amount', () => {
  expect(createCouponRequest.safeParse({ ...validCoupon, amountWei: '1' }).success).toBe(false)
})

test('createRandomCode: returns a valid coupon code of capital letters and digits', () => {
  expect(createCouponRequest.parse({ ...validCoupon, code: createRandomCode() }).code).toMatch(
    /^([A-Z2-9]{4}-){2}[A-Z2-9]{4}$/,
  )
})
