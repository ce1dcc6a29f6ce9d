import type { SignalSeries } from '@tocsin/protocol/feed'
import { numberLocale } from '../../ui/locale.ts'

/**
 * "4.1×", "−0.043%", "$33.4M", "12 trades": at most three significant digits, a minus sign
 * (U+2212), and a no-break space before units such as "trades". Amounts of dollars have four digits
 * below a million, and are shortened above: "$31.8M".
 */
export function formatValue(value: number, unit: string): string {
  const [, scale] = /^([kKMBT]?)\$$/.exec(unit) ?? []
  if (scale === undefined) {
    const digits = digitsOf(value, 3)
    return /^\p{Letter}/u.test(unit) ? `${digits}\u00a0${unit}` : `${digits}${unit}`
  }
  const isShort = scale === '' && Math.abs(value) >= 1_000_000
  const amount = isShort ? digitsOf(Math.abs(value), 3, 'compact') : digitsOf(Math.abs(value), 4)
  return `${value < 0 ? '−' : ''}$${amount}${scale}`
}

function digitsOf(value: number, digits: number, notation: 'standard' | 'compact' = 'standard'): string {
  // A value of a thousand or more keeps its whole part: "1,234 trades".
  const isWhole = Math.abs(value) >= 1_000 && notation === 'standard'
  return formatOf(isWhole ? null : digits, notation)
    .format(value)
    .replace('-', '−')
}

/** Creating a format takes longer than rendering a row, so each is created once, on first use. */
const formats = new Map<string, Intl.NumberFormat>()

/** @param digits significant digits, or null for whole numbers */
function formatOf(digits: number | null, notation: 'standard' | 'compact'): Intl.NumberFormat {
  const key = `${digits} ${notation}`
  const options = digits === null ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits }
  const format = formats.get(key) ?? new Intl.NumberFormat(numberLocale, { ...options, notation })
  formats.set(key, format)
  return format
}

/**
 * The usual range in words: two deviations around the mean, but no negative end if the series has
 * no negative value, as volumes.
 */
export function usualWords({ values, unit, mean, deviation }: SignalSeries): string {
  const low = mean - 2 * deviation
  const shownLow = values.every((value) => value >= 0) ? Math.max(0, low) : low
  return `${formatValue(shownLow, unit)} to ${formatValue(mean + 2 * deviation, unit)}`
}

/** "4.1× at the alert, usually 0.8× to 1.2×; 0.7× to 4.1× in 80 values". */
export function seriesSentence(series: SignalSeries): string {
  const { values, triggerIndex, unit, mean } = series
  const words = (value: number) => formatValue(value, unit)
  return `${words(values[triggerIndex] ?? mean)} at the alert, usually ${usualWords(series)}; ${words(Math.min(...values))} to ${words(Math.max(...values))} in ${values.length} values.`
}
