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

const BATCHING = { maxBatchSize: 500, pauseMs: 20 }
const counters = new WeakMap<Context['db'], (caller: null) => Promise<store.AcceptedSignals>>()

/**
 * Returns the current counts. Reads only the alerts that were logged since the previous query,
 * because logged alerts never change. If a failover has lost the last counted alert, all are
 * counted again.
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

const zeroSignals: store.AcceptedSignals = { lastIndex: -1, lastId: null, accepted: 0, lastAt: null }

function createCounter(db: Context['db']): (caller: null) => Promise<store.AcceptedSignals> {
  let countedSignals = zeroSignals
  return coalesce(BATCHING, async (callers: null[]) => {
    countedSignals = await addNewSignals(db, countedSignals)
    return callers.map(() => countedSignals)
  })
}

async function addNewSignals(db: Context['db'], countedSignals: store.AcceptedSignals): Promise<store.AcceptedSignals> {
  const { isLost, accepted, lastAt, ...last } = await store.countAcceptedAbove(db, countedSignals)
  if (isLost) return addNewSignals(db, zeroSignals)
  return {
    ...last,
    accepted: countedSignals.accepted + accepted,
    lastAt: findLatestTime(countedSignals.lastAt, lastAt),
  }
}

function findLatestTime(...dates: (Date | null)[]): Date | null {
  const times = dates.map((moment) => moment?.getTime() ?? 0)
  return Math.max(...times) === 0 ? null : new Date(Math.max(...times))
}
