import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { CriticalAlert } from './frame.ts'
import * as store from './store.ts'

export interface StreamReach {
  /** Records that a critical alert was written to a socket of the account. */
  record(accountId: string, alert: CriticalAlert): void
  close(): Promise<void>
}

const FLUSH_MS = 1_000
/** How long the server keeps the accounts to which the stream wrote an alert. */
export const STREAM_REACH_RETENTION_MS = 30 * DAY_MS

/**
 * Records to which accounts critical alerts were sent over the stream, to report how many accounts
 * an alert reached. Rows are written once a second, after the fan-out. If the process is killed,
 * the rows of the last second are lost.
 */
export function createStreamReach(ctx: Context, scheduler: Scheduler): StreamReach {
  let waitingRows = new Map<string, store.ReachRow>()
  let lastFlush = Promise.resolve()

  function flush(): void {
    if (waitingRows.size === 0) return
    const rows = [...waitingRows.values()]
    waitingRows = new Map()
    lastFlush = lastFlush
      .then(() =>
        store.insertStreamReach(ctx.db, rows, new Date(ctx.clock.now().getTime() - STREAM_REACH_RETENTION_MS)),
      )
      .catch((error: unknown) => ctx.logger.warn({ err: error }, 'recording the reach of critical alerts failed'))
  }

  const stopFlushing = scheduler.every(FLUSH_MS, flush)
  return {
    record(accountId, { logIndex, atMs }) {
      const nowMs = ctx.clock.now().getTime()
      const key = `${logIndex} ${accountId}`
      // Only the first socket of the account counts. Alerts that are more than a day old do not
      // count: they are history.
      if (waitingRows.has(key) || nowMs - atMs > DAY_MS) return
      waitingRows.set(key, { logIndex, accountId, at: new Date(nowMs), tookMs: Math.max(0, nowMs - atMs) })
    },
    async close() {
      stopFlushing()
      flush()
      await lastFlush
    },
  }
}
