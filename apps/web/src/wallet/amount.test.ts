import { describe, expect, it } from 'vitest'
import { formatAmount, formatFee } from './amount.ts'

const ITO = 10n ** 18n

describe('formatAmount', () => {
  it.each([
    [0n, 0, '0'],
    [0n, 2, '0.00'],
    [1284n * ITO + ITO / 2n, 2, '1,284.50'],
    [1284n * ITO + ITO / 2n, 0, '1,285'],
    [ITO / 200n, 2, '0.01'],
    [ITO / 200n - 1n, 2, '0.00'],
    [999n * ITO + (999n * ITO) / 1000n, 2, '1,000.00'],
    [123_456_789n * ITO, 0, '123,456,789'],
  ])('formats %s with %i decimals as %s', (amount, digits, expected) => {
    expect(formatAmount(amount, digits)).toBe(expected)
  })

  it('never overstates the amount when it rounds down', () => {
    expect(formatAmount(10n * ITO - 1n, 2, 'down')).toBe('9.99')
    expect(formatAmount(10n * ITO, 2, 'down')).toBe('10.00')
  })
})

describe('formatFee', () => {
  it.each([
    [0n, '0'],
    [51_234n * 1_000_000_000n, '0.000052'],
    [400_000_000_000_000n, '0.0004'],
    [2n * ITO, '2'],
    [1n, '0.000000000000000001'],
  ])('formats %s wei as %s', (amount, expected) => {
    expect(formatFee(amount)).toBe(expected)
  })
})
