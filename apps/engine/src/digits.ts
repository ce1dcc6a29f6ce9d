import { isDecimal } from '@tocsin/proof'

const EXPONENT = /^(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/
const TOKEN_PATTERN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * Parses JSON and returns every number as its text, so that no digit is lost.
 * Returns undefined if the text is not JSON.
 */
export function parseJsonDigits(text: string): unknown {
  try {
    return JSON.parse(text.replace(TOKEN_PATTERN, (token) => (token.startsWith('"') ? token : `"${token}"`)))
  } catch {
    return undefined
  }
}

/**
 * Returns the digits as the exchange wrote them. Only an exponent is expanded: `1e-7` becomes
 * `0.0000001`. Returns null if the result is not a decimal of docs/signal-protocol.md.
 */
export function toDecimal(text: string): string | null {
  const plainText = expandExponent(text)
  return isDecimal(plainText) ? plainText : null
}

function expandExponent(text: string): string {
  const [, whole, fraction = '', exponent] = EXPONENT.exec(text) ?? []
  if (whole === undefined || exponent === undefined) return text
  const digits = whole + fraction
  const pointPosition = whole.length + Number(exponent)
  if (Math.abs(pointPosition) > 40) return text
  const paddedDigits =
    '0'.repeat(Math.max(0, 1 - pointPosition)) + digits + '0'.repeat(Math.max(0, pointPosition - digits.length))
  const splitIndex = Math.max(pointPosition, 1)
  const wholeDigits = paddedDigits.slice(0, splitIndex).replace(/^0+(?=\d)/, '')
  return paddedDigits.length > splitIndex ? `${wholeDigits}.${paddedDigits.slice(splitIndex)}` : wholeDigits
}
