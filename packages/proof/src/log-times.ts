import { clockDifferenceMs, latestAnchorMs } from './anchor-checks.ts'

/** An entry whose stated time the chain does not confirm. It may be true: an anchor can be delayed. */
export interface UnprovenTime {
  index: number
  createdAt: string
  /** `anchored-late`: by the block of the anchor that covers it. `before-anchor`: by one that does not cover it. */
  why: 'anchored-late' | 'before-anchor'
  blockAt: string
}

/** Counted in full, listed up to this many. */
const listedCount = 100

/**
 * Binds the stated times of alerts, corrections and retractions between anchors: not long before the block of the anchor that
 * covers an entry, and not before the block of an earlier anchor. Keeps the entries since the last anchor.
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
    /** The first of them, in the order in which they were found. */
    unproven: unproven as readonly UnprovenTime[],
    get count() {
      return count
    },

    add(index: number, createdAt: string): void {
      const isBefore = lastBlockAt !== null && Date.parse(createdAt) + clockDifferenceMs < Date.parse(lastBlockAt)
      if (isBefore && lastBlockAt !== null) report({ index, createdAt, why: 'before-anchor', blockAt: lastBlockAt })
      else waiting.push({ index, createdAt })
    },

    /** An anchor that covers all entries so far. */
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
