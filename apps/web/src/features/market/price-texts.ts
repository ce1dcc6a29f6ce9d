import { groupDigits } from '../prediction/amount-texts.ts'

/**
 * Number of decimals for five significant digits, at least two: 88,301.00, 131.84, 2.0712, 0.15011.
 */
function getDecimals(value: number): number {
  return Math.min(18, Math.max(2, 4 - Math.floor(Math.log10(value))))
}

/** A price for a column, rounded. @param price a decimal above 0 */
export function formatPrice(price: string): string {
  const value = Number(price)
  return groupDigits(value.toFixed(getDecimals(value)))
}

/** Percent from one price to another. Null if it is not a finite number. */
export function computePercentChange(from: string, to: string): number | null {
  const change = (100 * (Number(to) - Number(from))) / Number(from)
  return Number.isFinite(change) ? change : null
}

/** "+0.42%", "−1.70%", "0.00%": always two decimals, with a minus sign (U+2212). */
export function formatPercentChange(percent: number): string {
  const rounded = Math.abs(percent).toFixed(2)
  const sign = Number(rounded) === 0 ? '' : percent < 0 ? '−' : '+'
  return `${sign}${groupDigits(rounded)}%`
}
