/**
 * Exact decimal numbers. Two implementations must reach the same verdict, so measuring uses no
 * floating point: prices and volumes are integers scaled by 10^18, results are scaled by 10^12.
 */

const decimalForm = /^(0|[1-9]\d{0,17})(?:\.(\d{1,18}))?$/
const resultDecimals = 12

/** Number of input units (10^-18) in one result unit (10^-12). */
export const inputUnitsPerResultUnit = 10n ** 6n
/** The number 1 in result units. */
export const resultUnit = 10n ** 12n

/** True for decimal text without sign or exponent, at most 18 digits before and after the point. */
export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && decimalForm.test(value)
}

/**
 * Returns the decimal scaled by 10^18.
 * @throws Error if the value is not a decimal
 */
export function parseDecimal(value: unknown): bigint {
  if (!isDecimal(value)) throw new Error('The number is not a decimal with at most 18 digits on each side')
  return parseUnits(value)
}

/** Returns a decimal scaled by 10^18. The text must satisfy isDecimal; this is not checked. */
export function parseUnits(decimal: string): bigint {
  const pointIndex = decimal.indexOf('.')
  const decimals = pointIndex === -1 ? 0 : decimal.length - pointIndex - 1
  const scale = powersOfTen[18 - decimals] ?? 1n
  // Up to 15 digits are exact in a number, and BigInt converts numbers several times faster than
  // text.
  if (decimal.length > 15) return BigInt(decimal.replace('.', '')) * scale
  let units = 0
  for (let position = 0; position < decimal.length; position++) {
    if (position !== pointIndex) units = units * 10 + decimal.charCodeAt(position) - zeroCode
  }
  return BigInt(units) * scale
}

const zeroCode = 0x30
const powersOfTen = Array.from({ length: 19 }, (_, exponent) => 10n ** BigInt(exponent))

/** Compares two decimals by value: negative, 0 or positive. Much faster than parsing both. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0
  const difference = findWholeLength(a) - findWholeLength(b)
  if (difference !== 0) return difference
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (long.startsWith(short) && /^\.?0*$/.test(long.slice(short.length))) return 0
  return a < b ? -1 : 1
}

function findWholeLength(decimal: string): number {
  const pointIndex = decimal.indexOf('.')
  return pointIndex === -1 ? decimal.length : pointIndex
}

/** Writes a result, scaled by 10^12 and not negative, without trailing zeros. */
export function formatResult(units: bigint): string {
  const fraction = (units % resultUnit).toString().padStart(resultDecimals, '0').replace(/0+$/, '')
  const whole = units / resultUnit
  return fraction === '' ? `${whole}` : `${whole}.${fraction}`
}

/** True for a decimal in the form that formatResult writes. */
export function isResult(value: unknown): value is string {
  return isDecimal(value) && /^\d+(\.\d{0,11}[1-9])?$/.test(value)
}

const thresholdForm = /^(\d{1,16})(?:\.(\d{1,12}))?$/
const thresholdRange = { min: 0.000_001, max: 1e15 }

/**
 * Parses a threshold as the decimal that RFC 8785 writes for it: 1.1 is exactly 1.1, not the
 * nearest binary64 value. Returns it scaled by 10^12.
 * @throws Error unless it is a number from 0.000001 to 10^15 with at most 15 significant digits and
 * 12 decimals
 */
export function parseThreshold(value: unknown): bigint {
  if (typeof value !== 'number') throw new Error('The threshold is not a number')
  const { min, max } = thresholdRange
  if (!(value >= min && value <= max)) throw new Error('The threshold is not a number from 0.000001 to 10^15')
  // JSON.stringify writes numbers as RFC 8785 does, and in this range without an exponent.
  const parts = thresholdForm.exec(JSON.stringify(value))
  const [, whole = '', fraction = ''] = parts ?? []
  const significantDigits = `${whole}${fraction}`.replace(/^0+|0+$/g, '')
  if (!parts || significantDigits.length > 15) {
    throw new Error('The threshold has more than 15 significant digits or more than 12 decimals')
  }
  return BigInt(whole + fraction.padEnd(resultDecimals, '0'))
}
