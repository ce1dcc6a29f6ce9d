import { hashSignal } from '@tocsin/proof'
import { describe, expect, test } from 'vitest'
import { formatAxisValue, formatUsualRange, formatValue } from './series-texts.ts'
import { readSeries } from './use-series.ts'

const series = { unit: '×', stepSeconds: 60, values: [1, 1.1, 4.1], triggerIndex: 2, mean: 1, deviation: 0.2 }
const createMessage = (extraFields: object) =>
  JSON.stringify({
    id: 's-1',
    asset: 'BTC/USDT',
    anomalyType: 'Volume spike',
    confidence: 91.5,
    regime: 'Trending',
    summary: 'Volume rose',
    priority: 'high',
    observedAt: '2026-11-22T10:00:00.000Z',
    ...extraFields,
  })
const readTestSeries = (message: string) => readSeries(message, hashSignal(message))

describe('readSeries', () => {
  test('returns "differs" when the hash of the message differs from the signed hash', () => {
    const message = createMessage({ series })
    expect(readSeries(message, hashSignal(`${message} `))).toEqual({ kind: 'differs' })
    expect(readSeries(message.replace('4.1', '4.2'), hashSignal(message))).toEqual({ kind: 'differs' })
  })

  test('returns "none" when the series is missing or invalid', () => {
    expect(readSeries(null, hashSignal(''))).toEqual({ kind: 'none' })
    for (const message of [
      createMessage({}),
      createMessage({ series: { ...series, values: ['1', '2'] } }),
      createMessage({ series: { ...series, triggerIndex: 3 } }),
      'no JSON',
      '',
    ])
      expect(readTestSeries(message)).toEqual({ kind: 'none' })
  })

  test('returns the series and the time of its last value when the hash matches', () => {
    const expected = { kind: 'proved', series, observedAtMs: Date.parse('2026-11-22T10:00:00Z') }
    expect(readTestSeries(createMessage({ series }))).toEqual(expected)
    const message = createMessage({ series })
    expect(readSeries(message, hashSignal(message).toUpperCase().replace('0X', '0x'))).toEqual(expected)
  })
})

test.each([
  [4.1, '×', '4.1×'],
  [1.234, '%', '1.23%'],
  [-0.0563, '%', '−0.06%'],
  [0.000_42, '%', '0.0004%'],
  [0, '%', '0.00%'],
  [33.4, 'M$', '$33.4M'],
  [-2.5, 'k$', '−$2.5k'],
  [31_812_000, '$', '$31.8M'],
  [540.5, '$', '$540.5'],
  [12, 'trades', '12\u00a0trades'],
  [0, '', '0'],
  [7.959, '×', '8.0×'],
  [1234567, '', '1,234,567'],
  [-1234.5, '%', '−1,234.50%'],
  [999.5, '%', '999.50%'],
  [9.94, '×', '9.9×'],
  [9.95, '×', '10×'],
  [99.95, '×', '100×'],
  [0.000_000_123_4, '', '0.000000123'],
  [999_999_999, '$', '$1B'],
])('formatValue: formats %d with unit %s as %s', (value, unit, words) => {
  expect(formatValue(value, unit)).toBe(words)
})

test.each([
  [0.005, '%', '0.005%'],
  [1.05, '×', '1.05×'],
  [-1234.5, '%', '−1,235%'],
  [31_812_000, '$', '$31.8M'],
])('formatAxisValue: formats %d with unit %s as %s', (value, unit, words) => {
  expect(formatAxisValue(value, unit)).toBe(words)
})

test.each([
  [[0, 1.2, 8], 1.2, 0.8, '0.0× to 2.8×'],
  [[-0.4, 1.2, 8], 1.2, 0.8, '−0.4× to 2.8×'],
])(
  'formatUsualRange: the usual range of the series %j starts below 0 only if one of its values is negative',
  (values, mean, deviation, words) => {
    expect(formatUsualRange({ values, stepSeconds: 60, triggerIndex: 2, mean, deviation, unit: '×' })).toBe(words)
  },
)
