import { groupSign } from '../../ui/locale.ts'

export type Metric = 'maxExcursion' | 'volume' | 'realisedVariance' | 'spread'

const units: Record<Metric, string> = { maxExcursion: '%', volume: '', realisedVariance: '%²', spread: '%' }
const maxDecimals = 12

/** Groups the digits before the decimal sign: "61204.11" is "61,204.11". */
export function groupDigits(decimal: string): string {
  const [whole = '', ...rest] = decimal.split('.')
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, groupSign), ...rest].join('.')
}

/** Decimals that show at least two significant digits, and two decimals below 100. */
function decimalsOf(metric: Metric, value: number): number {
  if (metric === 'volume' && value >= 100) return 0
  return Math.min(maxDecimals, Math.max(2, 1 - Math.floor(Math.log10(value))))
}

const format = (metric: Metric, value: number, decimals: number) =>
  `${groupDigits(value.toFixed(decimals))}${units[metric]}`

/** A threshold with its unit: "1.40%", "1,250", "0.075%²". */
export function thresholdWords(metric: Metric, threshold: number): string {
  return format(metric, threshold, decimalsOf(metric, threshold))
}

/**
 * A threshold and the value that was measured, rounded alike and never so far that a value below
 * the threshold looks equal to it.
 * @param isBelow by the verdict: binary64 may not tell them apart
 */
export function comparisonWords(
  metric: Metric,
  threshold: number,
  measured: string,
  isBelow: boolean,
): [string, string] {
  const value = Number(measured)
  for (let decimals = decimalsOf(metric, threshold); decimals <= maxDecimals; decimals++) {
    const words: [string, string] = [format(metric, threshold, decimals), format(metric, value, decimals)]
    if (!isBelow || words[0] !== words[1]) return words
  }
  return [`${groupDigits(String(threshold))}${units[metric]}`, `${groupDigits(measured)}${units[metric]}`]
}
