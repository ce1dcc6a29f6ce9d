import { setTimeout as delay } from 'node:timers/promises'
import type { Hex, RecordSummary } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { createRecordComputation } from './record-computation.ts'
import * as store from './store.ts'

export type Origin = 'feed' | 'demo'
export interface TrackRecords {
  /**
   * Null before the first anchor.
   * @throws Refusal `unavailable` while the first computation takes long, and after `stop`
   */
  find(ctx: Context, origin: Origin): Promise<RecordSummary | null>
  /** The newest record that is computed, without waiting. Starts the first computation. */
  peek(ctx: Context, origin: Origin): RecordSummary | null
  /** Aborts what is computed. Resolves when no query is running, so that the database may close. */
  stop(): Promise<void>
}

/**
 * Computing takes at most 1/20 of the time. Until then the record of an earlier anchor is shown.
 */
const REST_FACTOR = 20
/** Callers do not wait for a computation that takes longer. */
const SLOW_MS = 1_000
/**
 * Before the first record there is nothing else to show. Shorter than the time after which proxies
 * give up (10 s in ops/nginx.conf).
 */
const FIRST_WAIT_MS = 8_000
const RETRY_AFTER_SECONDS = 30

interface Kept {
  /** The anchor that it is computed as of. */
  key: string
  value: Promise<RecordSummary>
  /** Infinite while it is computed. */
  costMs: number
  dueMs: number
}

/**
 * The public record, as of the newest anchor. Computed once for each anchor that someone asks for,
 * and shared by all callers. It contains only what is public at the time of the anchor.
 */
export function createTrackRecords(firstWaitMs = FIRST_WAIT_MS): TrackRecords {
  const kept = new Map<Origin, Kept>()
  const newest = new Map<Origin, RecordSummary>()
  const computations = { feed: createRecordComputation('feed'), demo: createRecordComputation('demo') }

  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()

  const track = <T>(work: Promise<T>): Promise<T> => {
    const forget = () => void running.delete(work)
    running.add(work)
    work.then(forget, forget)
    return work
  }
  const logFailure = (ctx: Context, error: unknown) => {
    if (!stopping.signal.aborted) ctx.logger.error({ err: error }, 'computing the track record failed')
  }

  const find: TrackRecords['find'] = async (ctx, origin) => {
    if (stopping.signal.aborted) throw beingComputed()
    const waiting = new AbortController()
    const tooLong = delay(firstWaitMs, undefined, waiting).then(() => {
      throw beingComputed()
    })
    return Promise.race([track(findOrCompute(ctx, origin)), tooLong]).finally(() => waiting.abort())
  }

  async function findOrCompute(ctx: Context, origin: Origin): Promise<RecordSummary | null> {
    const asOf = await store.findRecordAnchor(ctx.db, ctx.clock.now())
    if (!asOf) return null
    const key = `${asOf.size} ${asOf.blockHash}`
    const last = kept.get(origin)
    if (last && (last.key === key || performance.now() < last.dueMs)) return last.value
    const startedMs = performance.now()
    const next: Kept = {
      key,
      value: computations[origin](
        ctx,
        { ...asOf, blockAt: asOf.blockAt.toISOString(), blockHash: asOf.blockHash as Hex },
        stopping.signal,
      ),
      costMs: Number.POSITIVE_INFINITY,
      dueMs: Number.POSITIVE_INFINITY,
    }
    const isSlow = last !== undefined && last.costMs > SLOW_MS
    const settled = track(next.value).then(
      (record) => {
        newest.set(origin, record)
        next.costMs = performance.now() - startedMs
        next.dueMs = performance.now() + next.costMs * REST_FACTOR
        kept.set(origin, next)
      },
      (error: unknown) => {
        if (isSlow) logFailure(ctx, error)
        if (kept.get(origin) === next) kept.delete(origin)
        else if (last) last.dueMs = 0
      },
    )
    if (isSlow) {
      last.dueMs = Number.POSITIVE_INFINITY
      return last.value
    }
    kept.set(origin, next)
    await settled
    return next.value
  }

  return {
    find,
    peek(ctx, origin) {
      if (!stopping.signal.aborted) {
        track(findOrCompute(ctx, origin)).catch((error: unknown) => logFailure(ctx, error))
      }
      return newest.get(origin) ?? null
    },
    async stop() {
      stopping.abort()
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

function beingComputed(): Refusal {
  const sentence = 'The track record is being computed. Try again in half a minute.'
  return new Refusal('unavailable', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
