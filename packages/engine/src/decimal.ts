const DECIMAL_PATTERN = /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/

/**
 * Formats a price or an amount as a decimal of docs/signal-protocol.md: the shortest one that
 * identifies the number, without an exponent. Null if the number is not above 0 or needs more than
 * 18 digits on one side.
 */
export function formatDecimal(value: number): string | null {
  const [digits = '', exponent] = String(value).split('e-')
  const text = exponent === undefined ? digits : `0.${'0'.repeat(Number(exponent) - 1)}${digits.replace('.', '')}`
  return value > 0 && DECIMAL_PATTERN.test(text) ? text : null
}
