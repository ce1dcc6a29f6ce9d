import { setTimeout as delay } from 'node:timers/promises'
import type { Hex, RecordSummary } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { createRecordComputation } from './record-computation.ts'
import * as store from './store.ts'

export type Origin = 'feed' | 'demo'
export interface TrackRecords {
  /**
   * Returns the record as of the newest anchor. While the next computation is not due yet or takes
   * long, returns the record as of an earlier anchor. Null before the first anchor.
   * @throws Refusal `being_computed` while the first computation takes long, and `unavailable`
   *   after `stop`
   */
  find(ctx: Context, origin: Origin): Promise<RecordSummary | null>
  /** Returns the newest computed record without waiting. Starts a computation if one is due. */
  peek(ctx: Context, origin: Origin): RecordSummary | null
  /**
   * Aborts running computations. Resolves when no query is running, so that the database may close.
   */
  stop(): Promise<void>
}

/**
 * After a computation, the pause before the next one is this many times as long as the computation
 * took, so computing uses at most about 1/20 of the time. During the pause, the record of an
 * earlier anchor is shown.
 */
const PAUSE_TO_COMPUTATION_RATIO = 20
/**
 * If a computation took longer than this, callers get the earlier record during the next
 * computation instead of waiting for it.
 */
const SLOW_MS = 1_000
/**
 * Timeout of callers while there is no earlier record to return. It is shorter than that of proxies
 * (10 s in ops/nginx.conf).
 */
const FIRST_WAIT_MS = 8_000
const RETRY_AFTER_SECONDS = 30

interface CachedRecord {
  /** Size and block hash of the anchor, and the number of candles. */
  key: string
  value: Promise<RecordSummary>
  /** Duration of the computation. Infinite while it is running. */
  costMs: number
  dueMs: number
}

/**
 * Caches the public record as of the newest anchor. The record contains only what is public at the
 * time of the anchor. It is computed on the first request after a new anchor or further candles,
 * and shared by all callers.
 */
export function createTrackRecords({
  firstWaitMs = FIRST_WAIT_MS,
  pauseFactor = PAUSE_TO_COMPUTATION_RATIO,
}: {
  firstWaitMs?: number
  pauseFactor?: number | undefined
} = {}): TrackRecords {
  const cache = new Map<Origin, CachedRecord>()
  const newestRecords = new Map<Origin, RecordSummary>()
  const computations = { feed: createRecordComputation('feed'), demo: createRecordComputation('demo') }

  const stopController = new AbortController()
  const runningWork = new Set<Promise<unknown>>()

  const trackWork = <T>(work: Promise<T>): Promise<T> => {
    const forget = () => void runningWork.delete(work)
    runningWork.add(work)
    work.then(forget, forget)
    return work
  }
  const logFailure = (ctx: Context, error: unknown) => {
    if (!stopController.signal.aborted) ctx.logger.error({ err: error }, 'computing the track record failed')
  }

  const find: TrackRecords['find'] = async (ctx, origin) => {
    if (stopController.signal.aborted) throw new Refusal('unavailable', 'The server is stopping')
    const timeoutController = new AbortController()
    const tooLong = delay(firstWaitMs, undefined, timeoutController).then(() => {
      throw refuseWhileComputing()
    })
    return Promise.race([trackWork(findOrCompute(ctx, origin)), tooLong]).finally(() => timeoutController.abort())
  }

  async function findOrCompute(ctx: Context, origin: Origin): Promise<RecordSummary | null> {
    const recordAnchor = await store.findRecordAnchor(ctx.db, ctx.clock.now())
    if (!recordAnchor) return null
    // The key contains the number of candles, because the candles of a day arrive after its anchors
    // and change its control rates.
    const { candleCount, ...asOf } = recordAnchor
    const key = `${asOf.size} ${asOf.blockHash} ${candleCount}`
    const cachedRecord = cache.get(origin)
    if (cachedRecord && (cachedRecord.key === key || performance.now() < cachedRecord.dueMs)) return cachedRecord.value
    const startedMs = performance.now()
    const nextRecord: CachedRecord = {
      key,
      value: computations[origin](
        ctx,
        { ...asOf, blockAt: asOf.blockAt.toISOString(), blockHash: asOf.blockHash as Hex },
        stopController.signal,
      ),
      costMs: Number.POSITIVE_INFINITY,
      dueMs: Number.POSITIVE_INFINITY,
    }
    const isSlow = cachedRecord !== undefined && cachedRecord.costMs > SLOW_MS
    const completion = trackWork(nextRecord.value).then(
      (record) => {
        newestRecords.set(origin, record)
        nextRecord.costMs = performance.now() - startedMs
        nextRecord.dueMs = performance.now() + nextRecord.costMs * pauseFactor
        cache.set(origin, nextRecord)
      },
      (error: unknown) => {
        if (isSlow) logFailure(ctx, error)
        if (cache.get(origin) === nextRecord) cache.delete(origin)
        else if (cachedRecord) cachedRecord.dueMs = 0
      },
    )
    if (isSlow) {
      cachedRecord.dueMs = Number.POSITIVE_INFINITY
      return cachedRecord.value
    }
    cache.set(origin, nextRecord)
    await completion
    return nextRecord.value
  }

  return {
    find,
    peek(ctx, origin) {
      if (!stopController.signal.aborted) {
        trackWork(findOrCompute(ctx, origin)).catch((error: unknown) => logFailure(ctx, error))
      }
      return newestRecords.get(origin) ?? null
    },
    async stop() {
      stopController.abort()
      while (runningWork.size > 0) await Promise.allSettled(runningWork)
    },
  }
}

function refuseWhileComputing(): Refusal {
  const sentence = 'The track record is being computed. Try again in half a minute.'
  return new Refusal('being_computed', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
