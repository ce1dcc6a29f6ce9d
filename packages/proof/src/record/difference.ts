/**
 * Maximum difference between figures of two programs, relative if the figure is above 1. Both
 * programs add up the same numbers in the same order, so correct figures differ by less.
 */
const tolerance = 1e-9

/**
 * Compares each figure that this program has computed (`ownValue`) with the figure of the site
 * (`siteValue`). Ignores figures that only the site has.
 * @returns the path of the first figure that differs, with both values, or null
 */
export function findDifference(ownValue: unknown, siteValue: unknown, path: string): string | null {
  if (typeof ownValue === 'number' && typeof siteValue === 'number') {
    return Math.abs(ownValue - siteValue) <= tolerance * Math.max(1, Math.abs(ownValue))
      ? null
      : `${path}: ${siteValue} instead of ${ownValue}`
  }
  if (typeof ownValue !== 'object' || ownValue === null) {
    return ownValue === siteValue
      ? null
      : `${path}: ${JSON.stringify(siteValue)} instead of ${JSON.stringify(ownValue)}`
  }
  if (typeof siteValue !== 'object' || siteValue === null)
    return `${path}: ${JSON.stringify(siteValue)} instead of an object`
  const siteValues = new Map<string, unknown>(Object.entries(siteValue))
  for (const [field, value] of Object.entries(ownValue)) {
    const found = findDifference(value, siteValues.get(field), `${path}.${field}`)
    if (found !== null) return found
  }
  return null
}
