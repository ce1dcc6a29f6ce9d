import type { SignalSeries } from '@tocsin/protocol/feed'
import { formatCount } from '../../ui/count.ts'
import { groupDigits } from '../prediction/amount-texts.ts'

/**
 * Formats a value with its unit: "4.1×", "−1.23%", "$33.4M", "12 trades". Percentages have two
 * decimals. Multiples have one decimal below 10 and none from 10 on. The summaries of the engine
 * follow the same rules. Values of other units are formatted as on an axis.
 */
export function formatValue(value: number, unit: string): string {
  if (unit === '%') return `${formatDecimals(value, 2)}%`
  if (unit === '×') return `${formatDecimals(value, Math.abs(value) < 9.95 ? 1 : 0)}×`
  return formatAxisValue(value, unit)
}

/**
 * Formats a number with this many decimals. If it would be rounded to 0, it has one significant
 * digit instead.
 */
function formatDecimals(value: number, decimals: number): string {
  const amount = Math.abs(value)
  const rounded = amount.toFixed(decimals)
  if (amount > 0 && Number(rounded) === 0) return formatDigits(value, 1)
  return `${value < 0 ? '−' : ''}${groupDigits(rounded)}`
}

/**
 * Formats a value of an axis with its unit. Values have at most three significant digits, amounts
 * in dollars four, and no fixed number of decimals, because steps of an axis may be small. Values
 * from 1,000 on are whole numbers with all their digits; dollars from a million on are shortened:
 * "$31.8M". Negative values have a minus sign (U+2212). A no-break space precedes units such as
 * "trades".
 */
export function formatAxisValue(value: number, unit: string): string {
  const [, scale] = /^([kKMBT]?)\$$/.exec(unit) ?? []
  if (scale === undefined) {
    const digits = formatDigits(value, 3)
    return /^\p{Letter}/u.test(unit) ? `${digits}\u00a0${unit}` : `${digits}${unit}`
  }
  const isCompact = scale === '' && Math.abs(value) >= 1_000_000
  const amount = isCompact ? formatDigits(Math.abs(value), 3, 'compact') : formatDigits(Math.abs(value), 4)
  return `${value < 0 ? '−' : ''}$${amount}${scale}`
}

/**
 * Formats a number with at most `digits` significant digits, and a minus sign if it is negative.
 * Does not use Intl, for the reason given at `formatCount`.
 */
export function formatDigits(value: number, digits: number, notation: 'standard' | 'compact' = 'standard'): string {
  const amount = Math.abs(value)
  const sign = value < 0 ? '−' : ''
  const rounded = Number(amount.toPrecision(digits))
  // A value of a thousand or more keeps all digits of its integer part: "1,234 trades".
  if (rounded >= 1_000 && notation === 'standard') return sign + formatCount(amount)
  const thousands = notation === 'compact' ? Math.floor(Math.log10(rounded) / 3 + 1e-9) : 0
  const scaledValue = Number((rounded / 1_000 ** thousands).toPrecision(digits))
  // String() would write small values with an exponent.
  const decimals = scaledValue === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(scaledValue)))
  const digitsText = scaledValue.toFixed(decimals)
  return (
    sign + (decimals > 0 ? digitsText.replace(/\.?0+$/, '') : digitsText) + (['', 'K', 'M', 'B', 'T'][thousands] ?? '')
  )
}

/**
 * Formats the usual range: two standard deviations around the mean. The lower end is not below 0 if
 * the series has no negative value, as for volumes.
 */
export function formatUsualRange({ values, unit, mean, deviation }: SignalSeries): string {
  const low = mean - 2 * deviation
  const shownLow = values.every((value) => value >= 0) ? Math.max(0, low) : low
  return `${formatValue(shownLow, unit)} to ${formatValue(mean + 2 * deviation, unit)}`
}

/**
 * Describes a series: "4.1× at the alert, usually 0.8× to 1.2×; minimum 0.7×, maximum 4.1× of 80
 * values."
 */
export function formatSeriesSentence(series: SignalSeries): string {
  const { values, triggerIndex, unit, mean } = series
  const formatWithUnit = (value: number) => formatValue(value, unit)
  const atAlert = `${formatWithUnit(values[triggerIndex] ?? mean)} at the alert, usually ${formatUsualRange(series)}`
  const extremes = `minimum ${formatWithUnit(Math.min(...values))}, maximum ${formatWithUnit(Math.max(...values))}`
  return `${atAlert}; ${extremes} of ${values.length} values.`
}
