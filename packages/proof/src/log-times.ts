import { isAnchoredLate, maxClockDifferenceMs } from './anchor-checks.ts'

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
  reason: 'anchored-late' | 'before-anchor'
  blockAt: string
}

/**
 * `unproven` lists the first 100 unproven entries, in the order in which they were found. `count`
 * includes all.
 */
export interface UnprovenTimes {
  readonly count: number
  readonly unproven: readonly UnprovenTime[]
}

/** Block times of the anchors around an entry, in milliseconds. Null if there is no such anchor. */
interface Anchoring {
  /** Block time of the last anchor that does not cover the entry. */
  previousMs: number | null
  /** Block time of the first anchor that covers the entry. */
  anchoredMs: number | null
}

/**
 * Returns why the anchors do not prove a stated time, or null if they do. An entry must be anchored
 * at most 15 minutes after its stated time (`maxAnchorDelayMs`). Its stated time must not be more
 * than a minute before an earlier anchor (`maxClockDifferenceMs`).
 */
export function findUnprovenReason(
  createdMs: number,
  { previousMs, anchoredMs }: Anchoring,
): UnprovenTime['reason'] | null {
  if (previousMs !== null && createdMs + maxClockDifferenceMs < previousMs) return 'before-anchor'
  return anchoredMs !== null && isAnchoredLate(createdMs, anchoredMs) ? 'anchored-late' : null
}

const maxListedEntries = 100

/** Checks stated times against anchors. Keeps the entries since the last anchor in memory. */
export function createTimeCheck() {
  const unprovenEntries: UnprovenTime[] = []
  let count = 0
  let waitingEntries: { index: number; createdAt: string }[] = []
  let lastBlockAt: string | null = null

  function addUnproven(entry: UnprovenTime): void {
    count += 1
    if (unprovenEntries.length < maxListedEntries) unprovenEntries.push(entry)
  }

  return {
    unproven: unprovenEntries as readonly UnprovenTime[],
    get count() {
      return count
    },

    add(index: number, createdAt: string): void {
      const previousMs = lastBlockAt === null ? null : Date.parse(lastBlockAt)
      const why = findUnprovenReason(Date.parse(createdAt), { previousMs, anchoredMs: null })
      if (why !== null && lastBlockAt !== null) addUnproven({ index, createdAt, reason: why, blockAt: lastBlockAt })
      else waitingEntries.push({ index, createdAt })
    },

    /** Processes an anchor that covers all entries so far. */
    anchor(blockAt: string): void {
      for (const { index, createdAt } of waitingEntries) {
        const why = findUnprovenReason(Date.parse(createdAt), { previousMs: null, anchoredMs: Date.parse(blockAt) })
        if (why !== null) addUnproven({ index, createdAt, reason: why, blockAt })
      }
      waitingEntries = []
      lastBlockAt = blockAt
    },
  }
}
