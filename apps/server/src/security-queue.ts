import type { Logger } from 'pino'
import type { Database } from './db/database.ts'
import { isDatabaseUnavailable } from './db/unavailable.ts'
import { type Scheduler, systemScheduler } from './scheduler.ts'
import { type NewSecurityEvent, type QueueSecurityEvent, recordSecurityEvents } from './security-events.ts'

const FLUSH_MS = 500
const MAX_QUEUED_EVENTS = 1_000
const BATCH = 100

export interface SecurityQueue {
  add: QueueSecurityEvent
  /**
   * Number of events that were not stored, because the database was unavailable for too long or
   * refused them.
   */
  dropped(): number
  /** Stores the queued events. Also resolves if that fails; then the events remain queued. */
  flush(): Promise<void>
  close(): Promise<void>
}

/**
 * Stores security events in the background, so that they never delay a request: a failed sign-in
 * must not take longer for an address that has an account. While the database is unavailable, up to
 * 1,000 events are queued. Further events are counted and dropped. Events that the database refuses
 * are dropped too, because retrying them would block all others.
 */
export function createSecurityQueue(
  db: Database,
  logger: Logger,
  scheduler: Scheduler = systemScheduler,
): SecurityQueue {
  const queuedEvents: NewSecurityEvent[] = []
  let droppedCount = 0
  let runningStore: Promise<void> | null = null
  let cancelFlush: (() => void) | null = null

  /** Stores the oldest events of the queue in one transaction, and removes them from it. */
  const storeOldestEvents = async (count: number) => {
    const batch = queuedEvents.slice(0, count)
    await db.transaction((tx) => recordSecurityEvents(tx, batch))
    queuedEvents.splice(0, batch.length)
  }
  const storeOldestEventOrDrop = async () => {
    try {
      await storeOldestEvents(1)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      const refusedEvent = queuedEvents.shift()
      droppedCount += 1
      logger.error({ err: error, kind: refusedEvent?.kind }, 'the database refused a security event')
    }
  }
  const storeQueue = async () => {
    while (queuedEvents.length > 0) {
      const count = Math.min(queuedEvents.length, BATCH)
      try {
        await storeOldestEvents(count)
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        for (let remaining = count; remaining > 0; remaining--) await storeOldestEventOrDrop()
      }
    }
  }
  const flush = () => {
    cancelFlush?.()
    cancelFlush = null
    runningStore ??= storeQueue()
      .catch((error: unknown) => {
        logger.warn(
          { err: error, waiting: queuedEvents.length, dropped: droppedCount },
          'storing security events failed',
        )
        scheduleFlush()
      })
      .finally(() => {
        runningStore = null
      })
    return runningStore
  }
  const scheduleFlush = () => {
    cancelFlush ??= scheduler.after(FLUSH_MS, () => void flush())
  }
  return {
    add(event) {
      if (queuedEvents.length >= MAX_QUEUED_EVENTS) droppedCount += 1
      else queuedEvents.push(event)
      scheduleFlush()
    },
    dropped: () => droppedCount,
    flush,
    async close() {
      await flush()
      cancelFlush?.()
      droppedCount += queuedEvents.length
      if (droppedCount > 0) logger.error({ dropped: droppedCount }, 'security events were not stored')
    },
  }
}
