/**
 * Returns a parameter of the URL as text, or undefined if it is missing. The router parses
 * parameters such as `5` and `true` as numbers and booleans.
 */
export function toSearchText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}
