/** Formats percentages as pages and reports show them: one decimal, rounded half up. */

/** The share of `count` in `of` in percent, rounded from the exact fraction. */
export function formatShare(count: number, total: number): string {
  const tenths = Math.floor((2000 * count + total) / (2 * total))
  return formatTenths(tenths)
}

/**
 * Formats a rate that is not a fraction of two counts: a bound of an interval or a mean of rates.
 * The rate must not be negative.
 */
export function formatRate(rate: number): string {
  return formatTenths(Math.floor(rate * 1000 + 0.5))
}

function formatTenths(tenths: number): string {
  return `${Math.floor(tenths / 10)}.${tenths % 10}`
}
