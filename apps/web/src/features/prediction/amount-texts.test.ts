import { compareDecimals } from '@tocsin/proof'
import { expect, test } from 'vitest'
import { formatComparison, formatThreshold, groupDigits, type Metric } from './amount-texts.ts'

test.each<[metric: Metric, threshold: number, words: string]>([
  ['maxExcursion', 1.4, '1.40%'],
  ['maxExcursion', 1, '1.00%'],
  ['maxExcursion', 1.387215, '1.39%'],
  ['maxExcursion', 0.05, '0.050%'],
  ['maxExcursion', 0.000001, '0.0000010%'],
  ['maxExcursion', 0.123456789012, '0.12%'],
  ['spread', 0.65, '0.65%'],
  ['volume', 12.3, '12.30'],
  ['volume', 99.5, '99.50'],
  ['volume', 1234567.8, '1,234,568'],
  ['volume', 123456789012345, '123,456,789,012,345'],
  ['volume', 0.0042, '0.0042'],
  ['realisedVariance', 0.04, '0.20%'],
  ['realisedVariance', 12.25, '3.50%'],
])('formatThreshold: for the metric %s, formats %d as %s', (metric, threshold, words) => {
  expect(formatThreshold(metric, threshold)).toBe(words)
})

test.each<[metric: Metric, threshold: number, measured: string, words: [string, string]]>([
  ['maxExcursion', 1.4, '1.460457475813', ['1.40%', '1.46%']],
  ['maxExcursion', 1.5, '1.5', ['1.50%', '1.50%']],
  ['maxExcursion', 1.5, '1.499999995', ['1.500000000%', '1.499999995%']],
  ['maxExcursion', 1.387, '1.386', ['1.387%', '1.386%']],
  ['maxExcursion', 1.387, '1.388', ['1.39%', '1.39%']],
  ['volume', 1250, '1249.6', ['1,250.0', '1,249.6']],
  ['volume', 123456789012345, '123456789012344.999', ['123,456,789,012,345', '123,456,789,012,344.999']],
  ['realisedVariance', 0.05, '0.075362689303', ['0.22%', '0.27%']],
  ['realisedVariance', 0.05, '0.0499', ['0.224%', '0.223%']],
  ['realisedVariance', 0.05, '0.049999999999999999', ['0.05%²', '0.049999999999999999%²']],
  ['spread', 0.65, '0', ['0.65%', '0.00%']],
])(
  'formatComparison: a %s threshold of %d and the measured %s look different when the threshold is not reached',
  (metric, threshold, measuredAmount, words) => {
    const isBelow = compareDecimals(measuredAmount, String(threshold)) < 0
    expect(formatComparison(metric, threshold, measuredAmount, isBelow)).toEqual(words)
  },
)

test.each([
  ['61204.11', '61,204.11'],
  ['0.00001234', '0.00001234'],
  ['999', '999'],
  ['1000', '1,000'],
  ['1234567.1234567', '1,234,567.1234567'],
])('groupDigits: formats %s as %s without rounding', (decimal, words) => {
  expect(groupDigits(decimal)).toBe(words)
})
