import { groupSeparator } from '../../ui/locale.ts'

export type Metric = 'maxExcursion' | 'volume' | 'realisedVariance' | 'spread'

const units: Record<Metric, string> = { maxExcursion: '%', volume: '', realisedVariance: '%', spread: '%' }
/** Units of the amounts in predictions, before `toDisplayAmount` converts them. */
const rawUnits: Record<Metric, string> = { ...units, realisedVariance: '%²' }
const maxDecimals = 12

/** Converts an amount to the displayed one: a variance to its root, the volatility. */
export const toDisplayAmount = (metric: Metric, value: number) =>
  metric === 'realisedVariance' ? Math.sqrt(value) : value

/** Groups the digits before the decimal sign: "61204.11" is "61,204.11". */
export function groupDigits(decimal: string): string {
  const [whole = '', ...rest] = decimal.split('.')
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, groupSeparator), ...rest].join('.')
}

/**
 * Number of decimals: none for volumes from 100 on, else at least two and enough for two
 * significant digits.
 */
function getDecimals(metric: Metric, value: number): number {
  if (metric === 'volume' && value >= 100) return 0
  return Math.min(maxDecimals, Math.max(2, 1 - Math.floor(Math.log10(value))))
}

const formatAmount = (metric: Metric, value: number, decimals: number) =>
  `${groupDigits(value.toFixed(decimals))}${units[metric]}`

/** A threshold with its unit: "1.40%", "1,250", and for a variance its root: "0.27%". */
export function formatThreshold(metric: Metric, threshold: number): string {
  const displayAmount = toDisplayAmount(metric, threshold)
  return formatAmount(metric, displayAmount, getDecimals(metric, displayAmount))
}

/**
 * A threshold and the measured value with the same number of decimals. There are enough decimals
 * that a value below the threshold never looks equal to it.
 * @param isBelow true if the verdict says that the value is below the threshold. A comparison of
 *   the binary64 numbers is not reliable, because rounding can make them equal
 */
export function formatComparison(
  metric: Metric,
  threshold: number,
  measured: string,
  isBelow: boolean,
): [string, string] {
  const [limit, value] = [toDisplayAmount(metric, threshold), toDisplayAmount(metric, Number(measured))]
  for (let decimals = getDecimals(metric, limit); decimals <= maxDecimals; decimals++) {
    const words: [string, string] = [formatAmount(metric, limit, decimals), formatAmount(metric, value, decimals)]
    if (!isBelow || words[0] !== words[1]) return words
  }
  return [`${groupDigits(String(threshold))}${rawUnits[metric]}`, `${groupDigits(measured)}${rawUnits[metric]}`]
}
