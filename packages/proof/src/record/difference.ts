/**
 * Maximum difference between figures of two programs, relative if the figure is above 1. Both
 * programs add up the same numbers in the same order, so correct figures differ by less.
 */
const tolerance = 1e-9

/**
 * Compares each figure that this program has computed (`own`) with the figure of the site
 * (`theirs`). Ignores figures that only the site has.
 * @returns the path of the first figure that differs, with both values, or null
 */
export function findDifference(own: unknown, theirs: unknown, path: string): string | null {
  if (typeof own === 'number' && typeof theirs === 'number') {
    return Math.abs(own - theirs) <= tolerance * Math.max(1, Math.abs(own))
      ? null
      : `${path}: ${theirs} instead of ${own}`
  }
  if (typeof own !== 'object' || own === null) {
    return own === theirs ? null : `${path}: ${JSON.stringify(theirs)} instead of ${JSON.stringify(own)}`
  }
  if (typeof theirs !== 'object' || theirs === null) return `${path}: ${JSON.stringify(theirs)} instead of an object`
  const siteValues = new Map<string, unknown>(Object.entries(theirs))
  for (const [field, value] of Object.entries(own)) {
    const found = findDifference(value, siteValues.get(field), `${path}.${field}`)
    if (found !== null) return found
  }
  return null
}
