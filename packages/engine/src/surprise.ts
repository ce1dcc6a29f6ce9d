import { computeSurprise, type DecayedHistogram } from './decayed-histogram.ts'

/**
 * Combines surprises of dependent measures into one: the harmonic mean p-value (Wilson, PNAS 2019),
 * which is valid for any dependence.
 */
export function combineSurprises(surprises: readonly number[]): number {
  if (surprises.length === 0) return 0
  let sum = 0
  for (const value of surprises) sum += 10 ** value
  return Math.max(0, Math.log10(sum / surprises.length))
}

export function computeSurprises(histograms: readonly DecayedHistogram[], values: readonly number[]): number[] {
  return histograms.map((histogram, i) => computeSurprise(histogram, Math.abs(values[i] ?? 0)))
}

/** Index of the largest value, 0 for an empty list. */
export function findIndexOfMax(values: readonly number[]): number {
  return values.reduce((best, value, i) => (value > (values[best] ?? 0) ? i : best), 0)
}
