import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Scheduler } from '../../scheduler.ts'
import * as store from './store.ts'

export interface ListenerCount {
  /**
   * Counts the sockets that receive alerts on all instances: the current number of this instance,
   * and the last reported number of each other instance.
   */
  countListening(): Promise<number>
  close(): Promise<void>
}

const REPORT_MS = 1_000
const REFRESH_MS = 15_000
/** Time without a report after which an instance is considered dead. */
const EXPIRE_MS = 35_000

/**
 * Reports this instance's number of listeners to the other instances, on each change and as a
 * heartbeat.
 */
export function createListenerCount(
  ctx: Context,
  countOwnListeners: () => number,
  scheduler: Scheduler,
): ListenerCount {
  const id = randomUUID()
  const computeAliveSince = () => new Date(ctx.clock.now().getTime() - EXPIRE_MS)
  let reportedCount: number | null = null
  let lastReport: Promise<void> = Promise.resolve()
  const report = () => {
    const count = countOwnListeners()
    reportedCount = count
    lastReport = lastReport
      .then(() => store.saveInstance(ctx.db, { id, listening: count, seenAt: ctx.clock.now() }))
      .catch((error: unknown) => ctx.logger.warn({ err: error }, 'reporting the number of listeners failed'))
  }
  const stops = [
    scheduler.every(REFRESH_MS, report),
    scheduler.every(REPORT_MS, () => {
      if (countOwnListeners() !== reportedCount) report()
    }),
  ]
  report()
  return {
    countListening: async () =>
      countOwnListeners() + (await store.countListeningElsewhere(ctx.db, id, computeAliveSince())),
    async close() {
      for (const stop of stops) stop()
      await lastReport
      await store.deleteInstances(ctx.db, id, computeAliveSince()).catch(() => {})
    },
  }
}
