import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import vectors from '../vectors/predictions.json'
import { compareDecimals, formatResult, isDecimal, isResult, parseDecimal, parseThreshold } from './decimal.ts'

const decimal = fc.stringMatching(/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/)

describe('parseDecimal', () => {
  it.each(
    [
      '',
      '-1',
      '+1',
      '1e2',
      '.5',
      '1.',
      '01',
      '00',
      '1,5',
      ' 1',
      '1\n',
      '１',
      'NaN',
      'Infinity',
      '0x1',
      1,
      1.5,
      null,
      ['1'],
    ].concat(['1'.repeat(19), `0.${'1'.repeat(19)}`]),
  )('rejects %j', (value) => {
    expect(() => parseDecimal(value)).toThrow('not a decimal')
    expect(isDecimal(value)).toBe(false)
  })

  it.each([
    ['0', 0n],
    ['0.000000000000000001', 1n],
    ['61204.10', 61_204_100_000_000_000_000_000n],
    [`${'9'.repeat(18)}.${'9'.repeat(18)}`, 10n ** 36n - 1n],
  ])('reads %s', (text, units) => {
    expect(parseDecimal(text)).toBe(units)
  })
})

describe('compareDecimals', () => {
  it.each([
    ['1', '1.000', 0],
    ['12.5', '12.50', 0],
    ['0', '0.0', 0],
    ['9', '10', -1],
    ['12.5', '12.49', 1],
    ['12', '12.3', -1],
    ['1.000', '1.00001', -1],
    ['99.9', '100', -1],
  ])('orders %s and %s', (a, b, expected) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(expected)
    expect(Math.sign(compareDecimals(b, a))).toBe(-expected + 0)
  })

  it('orders two texts like their parsed values', () => {
    const nearDecimals = fc
      .tuple(decimal, fc.nat(3))
      .map(
        ([text, cut]) =>
          [
            text,
            text.replace(/\.(\d+)$/, (_, d: string) => (d.length > cut ? `.${d.slice(0, d.length - cut)}` : '')),
          ] as const,
      )
    fc.assert(
      fc.property(fc.oneof(fc.tuple(decimal, decimal), nearDecimals), ([a, b]) => {
        const [x, y] = [parseDecimal(a), parseDecimal(b)]
        expect(Math.sign(compareDecimals(a, b))).toBe(x < y ? -1 : x > y ? 1 : 0)
      }),
      { seed: 18, numRuns: 2_000 },
    )
  })
})

describe('parseThreshold', () => {
  it.each([
    ['text', '1.4', 'is not a number'],
    ['true', true, 'is not a number'],
    ['null', null, 'is not a number'],
    ['a list', [1.4], 'is not a number'],
    ['zero', 0, 'from 0.000001 to 10^15'],
    ['a negative number', -1.4, 'from 0.000001 to 10^15'],
    ['NaN', Number.NaN, 'from 0.000001 to 10^15'],
    ['infinity', Number.POSITIVE_INFINITY, 'from 0.000001 to 10^15'],
    ['a number below 0.000001', 1e-7, 'from 0.000001 to 10^15'],
    ['a number above 10^15', 1e15 + 1, 'from 0.000001 to 10^15'],
    ['13 decimals', 0.1234567890123, 'more than 15 significant digits or more than 12 decimals'],
    ['16 significant digits', 12345.67890123456, 'more than 15 significant digits or more than 12 decimals'],
    ['a sum that is not 0.3', 0.1 + 0.2, 'more than 15 significant digits or more than 12 decimals'],
  ])('rejects %s', (_, value, reason) => {
    expect(() => parseThreshold(value)).toThrow(reason)
  })

  it.each(vectors.thresholds)('reads $json as $decimal', ({ json, decimal }) => {
    expect(formatResult(parseThreshold(JSON.parse(json)))).toBe(decimal)
  })

  it('reads the smallest and the largest threshold', () => {
    expect(parseThreshold(1e-6)).toBe(10n ** 6n)
    expect(parseThreshold(1e15)).toBe(10n ** 27n)
  })

  it('returns the exact decimal value in spite of the rounding of binary64 numbers', () => {
    const digits = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }), fc.nat(12))
    fc.assert(
      fc.property(digits, ([significant, decimals]) => {
        const text = significant.toString().padStart(decimals + 1, '0')
        const number = Number(`${text.slice(0, text.length - decimals)}.${text.slice(text.length - decimals)}`)
        if (number < 1e-6) return
        expect(parseThreshold(number)).toBe(significant * 10n ** BigInt(12 - decimals))
      }),
      { seed: 18, numRuns: 2_000 },
    )
  })
})

describe('isResult', () => {
  it.each(['', '1.0', '1.10', '01', '-1', '1.', '.5', `0.${'1'.repeat(13)}`, '1'.repeat(19), 1, null])(
    'rejects %j',
    (value) => {
      expect(isResult(value)).toBe(false)
    },
  )

  it('accepts the output of formatResult', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n - 1n }), (units) => {
        const text = formatResult(units)
        expect(isResult(text)).toBe(true)
        expect(parseDecimal(text)).toBe(units * 10n ** 6n)
      }),
      { seed: 18 },
    )
  })
})
