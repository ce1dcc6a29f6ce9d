import { coalesce } from '../../coalesce.ts'
import type { Context } from '../../context.ts'
import * as store from './store.ts'

export interface SignalCounts {
  /** Signals that became alerts. */
  accepted: number
  refused: number
  merged: number
  /** When the newest signal arrived, whether it was accepted or not. */
  lastAt: Date | null
}

const BATCHING = { most: 500, pauseMs: 20 }
const counters = new WeakMap<Context['db'], (asker: null) => Promise<store.Accepted>>()

/**
 * Returns the current counts. Reads only the alerts that were logged since the previous query,
 * because logged alerts never change.
 */
export async function readSignalCounts({ db }: Context): Promise<SignalCounts> {
  const countAccepted = counters.get(db) ?? createCounter(db)
  counters.set(db, countAccepted)
  const [{ accepted, lastAt }, { refused, merged }] = await Promise.all([
    countAccepted(null),
    store.readOtherCounts(db),
  ])
  return {
    accepted,
    refused: refused.count,
    merged: merged.count,
    lastAt: findLatestTime(lastAt, refused.lastAt, merged.lastAt),
  }
}

function createCounter(db: Context['db']): (asker: null) => Promise<store.Accepted> {
  let counted: store.Accepted = { lastIndex: -1, accepted: 0, lastAt: null }
  return coalesce(BATCHING, async (askers: null[]) => {
    const { lastIndex, accepted, lastAt } = await store.countAcceptedAbove(db, counted.lastIndex)
    counted = { lastIndex, accepted: counted.accepted + accepted, lastAt: findLatestTime(counted.lastAt, lastAt) }
    return askers.map(() => counted)
  })
}

function findLatestTime(...moments: (Date | null)[]): Date | null {
  const times = moments.map((moment) => moment?.getTime() ?? 0)
  return Math.max(...times) === 0 ? null : new Date(Math.max(...times))
}
