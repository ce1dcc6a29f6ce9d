import { expect, test } from 'vitest'
import { computePercentChange, formatPercentChange, formatPrice } from './price-texts.ts'

test.each([
  ['88301', '88,301.00'],
  ['1234567.891', '1,234,567.89'],
  ['131.84', '131.84'],
  ['12.981', '12.981'],
  ['2.0712', '2.0712'],
  ['0.15011', '0.15011'],
  ['0.0000123456', '0.000012346'],
  ['0.000000000000000001', '0.000000000000000001'],
  ['999999999999999999', '1,000,000,000,000,000,000.00'],
])('formatPrice: writes %s as %s', (price, words) => {
  expect(formatPrice(price)).toBe(words)
})

test.each([
  ['100', '101.7', '+1.70%'],
  ['2921.40', '2871.64', '−1.70%'],
  ['100', '100.004', '0.00%'],
  ['100', '99.996', '0.00%'],
  ['0.000000000000000001', '999999999999999999', null],
])('formatPercentChange: writes the change from %s to %s as %s (null: the text is not checked)', (from, to, words) => {
  const change = computePercentChange(from, to)
  if (words !== null) expect(formatPercentChange(change ?? Number.NaN)).toBe(words)
  else expect(change).not.toBeNull()
})
