import type { SignalSeries } from '@tocsin/protocol/feed'
import { numberLocale } from '../../ui/locale.ts'

/**
 * "4.1×", "−0.043%", "33.4 M$": at most four significant digits, a minus sign (U+2212), and a
 * no-break space before a unit that is a word.
 */
export function formatValue(value: number, unit: string): string {
  const digits = value.toLocaleString(numberLocale, { maximumSignificantDigits: 4 }).replace('-', '−')
  return /^\p{Letter}/u.test(unit) ? `${digits}\u00a0${unit}` : `${digits}${unit}`
}

/** "4.1× at the alert, usually 0.8× to 1.2×; 0.7× to 4.1× in 80 values". */
export function seriesSentence({ values, triggerIndex, unit, mean, deviation }: SignalSeries): string {
  const words = (value: number) => formatValue(value, unit)
  const [low, high] = [mean - 2 * deviation, mean + 2 * deviation]
  return `${words(values[triggerIndex] ?? mean)} at the alert, usually ${words(low)} to ${words(high)}; ${words(Math.min(...values))} to ${words(Math.max(...values))} in ${values.length} values.`
}
