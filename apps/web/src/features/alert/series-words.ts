import type { SignalSeries } from '@tocsin/protocol/feed'
import { numberLocale } from '../../ui/locale.ts'

/**
 * "4.1×", "−0.043%", "$33.4M", "12 trades": at most four significant digits, a minus sign (U+2212),
 * and a no-break space before units such as "trades". Amounts from a million on are shortened.
 */
export function formatValue(value: number, unit: string): string {
  const [, scale] = /^([kKMBT]?)\$$/.exec(unit) ?? []
  if (scale === undefined) {
    const digits = digitsOf(value)
    return /^\p{Letter}/u.test(unit) ? `${digits}\u00a0${unit}` : `${digits}${unit}`
  }
  const isShort = scale === '' && Math.abs(value) >= 1_000_000
  const amount = isShort ? digitsOf(Math.abs(value), 'compact') : digitsOf(Math.abs(value))
  return `${value < 0 ? '−' : ''}$${amount}${scale}`
}

function digitsOf(value: number, notation: 'standard' | 'compact' = 'standard'): string {
  return value.toLocaleString(numberLocale, { maximumSignificantDigits: 4, notation }).replace('-', '−')
}

/** "4.1× at the alert, usually 0.8× to 1.2×; 0.7× to 4.1× in 80 values". */
export function seriesSentence({ values, triggerIndex, unit, mean, deviation }: SignalSeries): string {
  const words = (value: number) => formatValue(value, unit)
  const [low, high] = [mean - 2 * deviation, mean + 2 * deviation]
  return `${words(values[triggerIndex] ?? mean)} at the alert, usually ${words(low)} to ${words(high)}; ${words(Math.min(...values))} to ${words(Math.max(...values))} in ${values.length} values.`
}
