/** The highest and the lowest value in a window of minutes. */
export interface Extremes {
  high: bigint | undefined
  low: bigint | undefined
}

/**
 * The extremes of every window of `width` values, by the position of its first value. Takes linear
 * time, so a day's windows cost little more than one. Undefined values are ignored.
 */
export function slideExtremes(values: readonly (bigint | undefined)[], width: number): Extremes[] {
  const highs = slide(values, width, (last, value) => last <= value)
  const lows = slide(values, width, (last, value) => last >= value)
  return highs.map((high, index) => ({ high, low: lows[index] }))
}

/** @param isBeaten whether a later value makes an earlier one irrelevant */
function slide(
  values: readonly (bigint | undefined)[],
  width: number,
  isBeaten: (earlier: bigint, later: bigint) => boolean,
): (bigint | undefined)[] {
  const extremes: (bigint | undefined)[] = []
  /** Positions whose values are not beaten, the best one first. */
  const candidates: number[] = []
  let first = 0
  for (const [at, value] of values.entries()) {
    if (value !== undefined) {
      while (candidates.length > first && isBeaten(values[candidates.at(-1) ?? 0] ?? value, value)) candidates.pop()
      candidates.push(at)
    }
    const start = at - width + 1
    if (start < 0) continue
    while ((candidates[first] ?? start) < start) first += 1
    const best = candidates[first]
    extremes.push(best === undefined ? undefined : values[best])
  }
  return extremes
}
