import type { Logger } from 'pino'
import type { Database } from './db/database.ts'
import { isDatabaseUnavailable } from './db/unavailable.ts'
import { type Scheduler, systemScheduler } from './scheduler.ts'
import { type NewSecurityEvent, type QueueSecurityEvent, recordSecurityEvents } from './security-events.ts'

const FLUSH_MS = 500
const MAX_QUEUED = 1_000
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
 * 1,000 events are queued. Further events are counted and dropped. So are events that the database
 * refuses, because retrying them would hold up all others.
 */
export function createSecurityQueue(
  db: Database,
  logger: Logger,
  scheduler: Scheduler = systemScheduler,
): SecurityQueue {
  const queued: NewSecurityEvent[] = []
  let droppedCount = 0
  let storing: Promise<void> | null = null
  let cancelFlush: (() => void) | null = null

  /** Stores the oldest events of the queue in one transaction, and removes them from it. */
  const storeOldest = async (count: number) => {
    const batch = queued.slice(0, count)
    await db.transaction((tx) => recordSecurityEvents(tx, batch))
    queued.splice(0, batch.length)
  }
  const storeOldestOrDrop = async () => {
    try {
      await storeOldest(1)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      const refused = queued.shift()
      droppedCount += 1
      logger.error({ err: error, kind: refused?.kind }, 'the database refused a security event')
    }
  }
  const store = async () => {
    while (queued.length > 0) {
      const count = Math.min(queued.length, BATCH)
      try {
        await storeOldest(count)
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        for (let left = count; left > 0; left--) await storeOldestOrDrop()
      }
    }
  }
  const flush = () => {
    cancelFlush?.()
    cancelFlush = null
    storing ??= store()
      .catch((error: unknown) => {
        logger.warn({ err: error, waiting: queued.length, dropped: droppedCount }, 'storing security events failed')
        plan()
      })
      .finally(() => {
        storing = null
      })
    return storing
  }
  const plan = () => {
    cancelFlush ??= scheduler.after(FLUSH_MS, () => void flush())
  }
  return {
    add(event) {
      if (queued.length >= MAX_QUEUED) droppedCount += 1
      else queued.push(event)
      plan()
    },
    dropped: () => droppedCount,
    flush,
    async close() {
      await flush()
      cancelFlush?.()
      droppedCount += queued.length
      if (droppedCount > 0) logger.error({ dropped: droppedCount }, 'security events were not stored')
    },
  }
}
