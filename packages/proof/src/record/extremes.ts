/** The highest and the lowest value in a window of minutes. */
export interface Extremes {
  high: bigint | undefined
  low: bigint | undefined
}

/**
 * The extremes of every window of `width` values, by the position of its first value. Ignores
 * undefined values. Takes linear time for any `width`.
 */
export function slideExtremes(values: readonly (bigint | undefined)[], width: number): Extremes[] {
  const highs = slideExtreme(values, width, (last, value) => last <= value)
  const lows = slideExtreme(values, width, (last, value) => last >= value)
  return highs.map((high, index) => ({ high, low: lows[index] }))
}

/** @param isReplaced whether a later value makes an earlier one irrelevant */
function slideExtreme(
  values: readonly (bigint | undefined)[],
  width: number,
  isReplaced: (earlier: bigint, later: bigint) => boolean,
): (bigint | undefined)[] {
  const extremes: (bigint | undefined)[] = []
  /** Positions of values that no later value replaces, most extreme first. */
  const candidates: number[] = []
  let firstIndex = 0
  for (const [at, value] of values.entries()) {
    if (value !== undefined) {
      while (candidates.length > firstIndex && isReplaced(values[candidates.at(-1) ?? 0] ?? value, value))
        candidates.pop()
      candidates.push(at)
    }
    const start = at - width + 1
    if (start < 0) continue
    while ((candidates[firstIndex] ?? start) < start) firstIndex += 1
    const bestIndex = candidates[firstIndex]
    extremes.push(bestIndex === undefined ? undefined : values[bestIndex])
  }
  return extremes
}
