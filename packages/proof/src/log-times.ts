import { clockDifferenceMs, latestAnchorMs } from './anchor-checks.ts'

/**
 * An entry whose stated time the chain does not confirm. The time may still be correct, because an
 * anchor can be delayed.
 */
export interface UnprovenTime {
  index: number
  createdAt: string
  /**
   * `anchored-late`: the anchor that covers the entry came too late. `before-anchor`: the stated
   * time is before an anchor that does not cover the entry.
   */
  why: 'anchored-late' | 'before-anchor'
  blockAt: string
}

/** Maximum length of the list; the count includes all. */
const listedCount = 100

/**
 * Checks the stated times of alerts, corrections and retractions against anchors: an entry must be
 * anchored soon after its stated time, and its stated time must not precede an earlier anchor.
 * Keeps the entries since the last anchor in memory.
 */
export function createTimeCheck() {
  const unproven: UnprovenTime[] = []
  let count = 0
  let waiting: { index: number; createdAt: string }[] = []
  let lastBlockAt: string | null = null

  function report(entry: UnprovenTime): void {
    count += 1
    if (unproven.length < listedCount) unproven.push(entry)
  }

  return {
    /** The first ones, in the order in which they were found. */
    unproven: unproven as readonly UnprovenTime[],
    get count() {
      return count
    },

    add(index: number, createdAt: string): void {
      const isBefore = lastBlockAt !== null && Date.parse(createdAt) + clockDifferenceMs < Date.parse(lastBlockAt)
      if (isBefore && lastBlockAt !== null) report({ index, createdAt, why: 'before-anchor', blockAt: lastBlockAt })
      else waiting.push({ index, createdAt })
    },

    /** Processes an anchor that covers all entries so far. */
    anchor(blockAt: string): void {
      for (const { index, createdAt } of waiting) {
        const isLate = Date.parse(blockAt) - Date.parse(createdAt) > latestAnchorMs
        if (isLate) report({ index, createdAt, why: 'anchored-late', blockAt })
      }
      waiting = []
      lastBlockAt = blockAt
    },
  }
}
