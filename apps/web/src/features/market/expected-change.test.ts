import { expect, test } from 'vitest'
import type { Metric } from '../prediction/amount-texts.ts'
import { formatExpectedChange } from './expected-change.ts'

test.each<[metric: Metric, threshold: number, words: string]>([
  ['maxExcursion', 1.4, '±1.40%'],
  ['spread', 0.65, '≥0.65%'],
  ['realisedVariance', 0.04, '≥0.20%'],
  ['volume', 1234567.8, '≥1.23M'],
  ['volume', 12.3, '≥12.3'],
  ['volume', 0.0042, '≥0.0042'],
])('formatExpectedChange: for the metric %s, formats %d as %s', (metric, threshold, words) => {
  expect(formatExpectedChange({ metric, threshold })).toBe(words)
})
