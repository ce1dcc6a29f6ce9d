import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Scheduler } from '../scheduler.ts'
import type { Database } from './database.ts'
import { writeProbes } from './schema.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

export interface DatabaseHealth {
  /** Why requests that write fail now, or null. */
  writeTrouble(): string | null
  /** Why requests that read fail now, or null. Answers within `READ_DEADLINE_MS`, and costs one query however often it is asked. */
  readTrouble(): Promise<string | null>
  /** Takes the SQLSTATE of an error that any query has met. */
  noteServerError(sqlState: string): void
  /** Tries a first write, and again at intervals. Returns a function that stops it. */
  watch(db: Database): () => void
}

const READ_DEADLINE_MS = 2_000
const SILENT = `does not answer within ${READ_DEADLINE_MS / 1_000} s`
const UNREACHABLE = 'not reachable or not migrated'
const PROBE_MS = 10_000
const PROBE_AGAIN_MS = 1_000
/** A probe may wait for an operator's dump, which locks all tables, and says nothing then. */
const PROBE_LOCK_MS = 500
/** One read answers all who ask within this time. */
const READ_CACHE_MS = 250

const writeTroubles: Record<string, string> = {
  '53100': 'writes fail: the disk of the database is full',
  '25006': 'writes fail: the database is read-only',
  '58030': 'writes fail: the disk of the database reports errors',
}

export function createDatabaseHealth(scheduler: Scheduler, logger: Logger): DatabaseHealth {
  let database: Database | null = null
  let trouble: string | null = null
  let stopTimer = () => {}
  let isProbing = false
  let isStopped = false
  let reading: { endsAtMs: number; outcome: Promise<string | null> } | null = null

  const become = (next: string | null) => {
    if (next === trouble) return
    if (next === null) logger.info('the database accepts writes again')
    else logger.error({ reason: next }, 'the database accepts no writes')
    trouble = next
  }
  const probe = async () => {
    if (!database || isProbing || isStopped) return
    isProbing = true
    stopTimer()
    try {
      await probeWrite(database)
      become(null)
    } catch (error) {
      // The server has named the reason to `noteServerError`. One that cannot be reached is found by reads.
      if (!isDatabaseUnavailable(error)) logger.error({ err: error }, 'the write probe failed')
    }
    isProbing = false
    if (!isStopped) stopTimer = scheduler.after(trouble === null ? PROBE_MS : PROBE_AGAIN_MS, probe)
  }

  const read = async (db: Database): Promise<string | null> => {
    try {
      await db.execute(sql`select 1 from log_head`)
      return null
    } catch {
      return UNREACHABLE
    }
  }

  return {
    writeTrouble: () => trouble,
    readTrouble() {
      if (!database) return Promise.resolve(UNREACHABLE)
      // A query that hangs is not asked again: readiness must not use up the pool.
      if (!reading || performance.now() > reading.endsAtMs) {
        const next = { endsAtMs: Number.POSITIVE_INFINITY, outcome: read(database) }
        reading = next
        void next.outcome.then(() => {
          next.endsAtMs = performance.now() + READ_CACHE_MS
        })
      }
      return withDeadline(reading.outcome, READ_DEADLINE_MS, SILENT)
    },
    noteServerError(sqlState) {
      const found = writeTroubles[sqlState]
      if (!found || isStopped) return
      become(found)
      if (isProbing) return
      stopTimer()
      stopTimer = scheduler.after(PROBE_AGAIN_MS, probe)
    },
    watch(db) {
      database = db
      void probe()
      return () => {
        isStopped = true
        stopTimer()
      }
    },
  }
}

/**
 * A write that needs new disk space: after `truncate` the row goes into a new file. An update of an existing row would still succeed on a full disk.
 */
async function probeWrite(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql.raw(`set local lock_timeout = ${PROBE_LOCK_MS}`))
    await tx.execute(sql`truncate ${writeProbes}`)
    await tx.insert(writeProbes).values({ at: sql`clock_timestamp()` })
  })
}

/** What `asked` answers, or `late` if that takes longer. */
export async function withDeadline<T>(asked: Promise<T>, deadlineMs: number, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), deadlineMs)
  })
  return Promise.race([asked, deadline]).finally(() => clearTimeout(timer))
}
