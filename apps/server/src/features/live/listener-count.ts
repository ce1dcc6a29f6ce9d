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
export function createListenerCount(ctx: Context, listening: () => number, scheduler: Scheduler): ListenerCount {
  const id = randomUUID()
  const aliveSince = () => new Date(ctx.clock.now().getTime() - EXPIRE_MS)
  let reported: number | null = null
  let work: Promise<void> = Promise.resolve()
  const report = () => {
    const count = listening()
    reported = count
    work = work
      .then(() => store.saveInstance(ctx.db, { id, listening: count, seenAt: ctx.clock.now() }))
      .catch((error: unknown) => ctx.logger.warn({ err: error }, 'reporting the number of listeners failed'))
  }
  const stops = [
    scheduler.every(REFRESH_MS, report),
    scheduler.every(REPORT_MS, () => {
      if (listening() !== reported) report()
    }),
  ]
  report()
  return {
    countListening: async () => listening() + (await store.countListeningElsewhere(ctx.db, id, aliveSince())),
    async close() {
      for (const stop of stops) stop()
      await work
      await store.deleteInstances(ctx.db, id, aliveSince()).catch(() => {})
    },
  }
}
