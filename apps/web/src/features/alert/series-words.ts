import { numberLocale } from '../../ui/locale.ts'

/**
 * "4.1×", "−0.043%", "33.4 M$": at most four significant digits, a minus sign (U+2212), and a
 * no-break space before a unit that is a word.
 */
export function formatValue(value: number, unit: string): string {
  const digits = value.toLocaleString(numberLocale, { maximumSignificantDigits: 4 }).replace('-', '−')
  return /^\p{Letter}/u.test(unit) ? `${digits}\u00a0${unit}` : `${digits}${unit}`
}
