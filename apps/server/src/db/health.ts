import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Scheduler } from '../scheduler.ts'
import type { Database } from './database.ts'
import { writeProbes } from './schema/server.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

export interface DatabaseHealth {
  /** The reason why writes currently fail, or null. */
  findWriteProblem(): string | null
  /**
   * The reason why reads currently fail, or null. Concurrent and frequent calls share one query,
   * which has no deadline.
   */
  findReadProblem(): Promise<string | null>
  /** Call with the SQLSTATE of every error that the database server reports. */
  recordServerError(sqlState: string): void
  /** Starts a write probe that repeats at intervals. Returns a function that stops it. */
  watch(db: Database): () => void
}

const UNREACHABLE = 'not reachable or not migrated'
const PROBE_MS = 10_000
const PROBE_RETRY_MS = 1_000
/**
 * Longest wait of a write probe for a lock. A `pg_dump` locks all tables, so a probe that times out
 * on a lock does not count as a write failure.
 */
const PROBE_LOCK_MS = 500
/** Duration for which the result of a read is reused. */
const READ_CACHE_MS = 250

const writeProblems: Record<string, string> = {
  '53100': 'writes fail: the disk of the database is full',
  '25006': 'writes fail: the database is read-only',
  '58030': 'writes fail: the disk of the database reports errors',
}

export function createDatabaseHealth(scheduler: Scheduler, logger: Logger): DatabaseHealth {
  let database: Database | null = null
  let problem: string | null = null
  let stopTimer = () => {}
  let isProbing = false
  let isStopped = false
  let cachedRead: { endsAtMs: number; outcome: Promise<string | null> } | null = null

  const setProblem = (newProblem: string | null) => {
    if (newProblem === problem) return
    if (newProblem === null) logger.info('the database accepts writes again')
    else logger.error({ reason: newProblem }, 'the database accepts no writes')
    problem = newProblem
  }
  const runProbe = async () => {
    if (!database || isProbing || isStopped) return
    isProbing = true
    stopTimer()
    try {
      await probeWrite(database)
      setProblem(null)
    } catch (error) {
      // Log only unexpected errors: errors of an unavailable server have already been passed to
      // `recordServerError`, and reads detect a server that is unreachable.
      if (!isDatabaseUnavailable(error)) logger.error({ err: error }, 'the write probe failed')
    }
    isProbing = false
    if (!isStopped) stopTimer = scheduler.after(problem === null ? PROBE_MS : PROBE_RETRY_MS, runProbe)
  }

  const findReachabilityProblem = async (db: Database): Promise<string | null> => {
    try {
      await db.execute(sql`select 1 from log_head`)
      return null
    } catch {
      return UNREACHABLE
    }
  }

  return {
    findWriteProblem: () => problem,
    findReadProblem() {
      if (!database) return Promise.resolve(UNREACHABLE)
      // Do not start a second query while one hangs, because readiness checks must not exhaust the
      // pool.
      if (!cachedRead || performance.now() > cachedRead.endsAtMs) {
        const newRead = { endsAtMs: Number.POSITIVE_INFINITY, outcome: findReachabilityProblem(database) }
        cachedRead = newRead
        void newRead.outcome.then(() => {
          newRead.endsAtMs = performance.now() + READ_CACHE_MS
        })
      }
      return cachedRead.outcome
    },
    recordServerError(sqlState) {
      const writeProblem = writeProblems[sqlState]
      if (!writeProblem || isStopped) return
      setProblem(writeProblem)
      if (isProbing) return
      stopTimer()
      stopTimer = scheduler.after(PROBE_RETRY_MS, runProbe)
    },
    watch(db) {
      database = db
      void runProbe()
      return () => {
        isStopped = true
        stopTimer()
      }
    },
  }
}

/**
 * Writes a row that needs new disk space: `truncate` makes PostgreSQL create a new file. An update
 * of an existing row could still succeed on a full disk. Needs one round trip.
 */
async function probeWrite(db: Database): Promise<void> {
  await db.execute(sql`
    do $$ begin
      set local lock_timeout = ${sql.raw(String(PROBE_LOCK_MS))};
      truncate ${writeProbes};
      insert into ${writeProbes} (at) values (clock_timestamp());
    end $$`)
}

/**
 * Resolves to the result of `operation`, or to `fallback` if `operation` is not settled after
 * `deadlineMs`.
 */
export async function withDeadline<T>(operation: Promise<T>, deadlineMs: number, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(fallback), deadlineMs)
  })
  return Promise.race([operation, deadline]).finally(() => clearTimeout(timer))
}
