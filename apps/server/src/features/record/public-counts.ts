import type { PublicCounts, RecordTable } from '@tocsin/proof'
import type { Queryable } from '../../db/database.ts'
import * as store from './record-store.ts'

/**
 * Maximum number of log entries that one statement counts. A statement takes less than a second,
 * far below the statement timeout.
 */
const RANGE = 100_000

/**
 * Counts over the log entries from the start up to an index. The required memory depends on the
 * number of assets, not on the number of alerts.
 */
interface Counts {
  all: number
  ofOrigin: number
  rows: Map<string, { table: RecordTable; key: string; count: number; first: number }>
  /** Indexes of the alerts whose message was missing when they were counted. */
  withoutMessage: number[]
}

/**
 * Counts the public alerts of a growing log. Each entry is counted once, as soon as all entries
 * before it are public. Calls must not overlap.
 */
export function createPublicCounts() {
  let cachedCounts = { until: 0, counts: createCounts() }

  return {
    /** Starts again from zero, for a different log or chain. */
    reset(): void {
      cachedCounts = { until: 0, counts: createCounts() }
    },

    async count(tx: Queryable, view: store.RecordView): Promise<Counts> {
      if (view.firstHiddenIndex < cachedCounts.until) this.reset()
      while (cachedCounts.until < view.firstHiddenIndex) {
        const range = { from: cachedCounts.until, until: Math.min(cachedCounts.until + RANGE, view.firstHiddenIndex) }
        // The range is read before it is added, so that an error leaves the counts unchanged.
        add(cachedCounts.counts, await readRange(tx, view, range))
        cachedCounts.until = range.until
      }
      const { all, ofOrigin, rows, withoutMessage } = cachedCounts.counts
      const currentCounts: Counts = { all, ofOrigin, rows: new Map(rows), withoutMessage: [...withoutMessage] }
      // Public entries can follow an entry that is not public, because entries are not necessarily
      // in time order. They are counted again on each call.
      for (let from = cachedCounts.until; from < view.size; from += RANGE) {
        add(currentCounts, await readRange(tx, view, { from, until: Math.min(from + RANGE, view.size) }))
      }
      return currentCounts
    },
  }
}

function createCounts(): Counts {
  return { all: 0, ofOrigin: 0, rows: new Map(), withoutMessage: [] }
}

async function readRange(tx: Queryable, view: store.RecordView, range: { from: number; until: number }) {
  const rows = await store.countPublic(tx, view, range)
  return { rows, withoutMessage: await store.listWithoutMessage(tx, view, range), origin: view.origin }
}

function add(counts: Counts, { rows, withoutMessage, origin }: Awaited<ReturnType<typeof readRange>>): void {
  for (const { table, key, count, first, ...row } of rows) {
    if (table === null) {
      counts.all += count
      if (row.origin === origin) counts.ofOrigin += count
    } else if (row.origin === origin && key !== null) {
      const name = JSON.stringify([table, key])
      const countedRow = counts.rows.get(name)
      counts.rows.set(name, { table, key, count: count + (countedRow?.count ?? 0), first: countedRow?.first ?? first })
    }
  }
  for (const index of withoutMessage) counts.withoutMessage.push(index)
}

export function toPublicCounts({ all, ofOrigin, rows }: Counts, recentCount: number): PublicCounts {
  return { all, ofOrigin, recent: recentCount, rows: [...rows.values()] }
}
