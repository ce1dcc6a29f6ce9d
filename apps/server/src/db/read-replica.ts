import { SECOND_MS } from '@tocsin/protocol/durations'
import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Scheduler } from '../scheduler.ts'
import { type Database, getServerLimits, openDatabase } from './database.ts'
import { withDeadline } from './health.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

/** Runs reads whose result may be some seconds old. */
export interface ReadReplica {
  /**
   * Runs `work` on the replica while the replica keeps up with the primary database, otherwise on
   * the primary. `work` can run twice, so it must only read.
   */
  read<T>(work: (db: Database) => Promise<T>): Promise<T>
  /** Why reads use the primary database instead of the replica, or null if they use the replica. */
  problem(): string | null
  /** Age of the newest transaction that the replica has replayed, or null if it is not known. */
  lagSeconds(): number | null
  close(): Promise<void>
}

/**
 * Maximum lag of a replica that is used. Older data would surprise an operator who has just changed
 * something.
 */
const MAX_LAG_SECONDS = 10
const CHECK_MS = 2 * SECOND_MS
/** A replica that does not answer a check within this time counts as hung. */
const CHECK_DEADLINE_MS = 2 * SECOND_MS
const MAX_CONNECTIONS = 8

const ABANDONED_READ = Symbol('abandoned')

interface ReplicaOptions {
  /** Statement timeout. */
  timeoutSeconds: number
  scheduler: Scheduler
  logger: Logger
  maxLagSeconds?: number
}

/**
 * Opens a streaming replica (PostgreSQL manual, 26.2) for reads. It is checked every two seconds,
 * and not used while it is unreachable, was promoted, or has not replayed a transaction for
 * `maxLagSeconds`. Even an idle primary has transactions more often than that, because instances
 * renew their leases. A read is repeated on the primary if it fails because the replica has just
 * become unavailable, or if a check finds the replica unusable while the read is still waiting.
 */
export async function openReadReplica(
  url: string,
  primary: Database,
  { timeoutSeconds, scheduler, logger, maxLagSeconds = MAX_LAG_SECONDS }: ReplicaOptions,
): Promise<ReadReplica> {
  const replica = openDatabase(url, (error) => logger.warn({ err: error }, 'a connection to the replica broke'), {
    limits: getServerLimits(timeoutSeconds),
    max: MAX_CONNECTIONS,
  })
  let problem: string | null = 'the replica has not been checked yet'
  let lagSeconds: number | null = null
  const abandonCallbacks = new Set<() => void>()

  const check = async () => {
    const previousProblem = problem
    const timeoutState: ReplicaState = {
      problem: `the replica does not respond within ${CHECK_DEADLINE_MS / SECOND_MS} s`,
      lagSeconds: null,
    }
    ;({ problem, lagSeconds } = await withDeadline(
      checkReplica(replica.db, maxLagSeconds),
      CHECK_DEADLINE_MS,
      timeoutState,
    ))
    if (problem !== null) for (const abandonRead of abandonCallbacks) abandonRead()
    if (problem === previousProblem) return
    if (problem === null) logger.info('reads that may be outdated use the replica')
    else logger.warn({ reason: problem }, 'the replica is not used')
  }
  let runningCheck: Promise<void> | null = null
  const stopChecks = scheduler.every(CHECK_MS, () => {
    runningCheck ??= check().finally(() => {
      runningCheck = null
    })
  })
  await check()
  return {
    async read(work) {
      if (problem !== null) return work(primary)
      let abandonRead = () => {}
      const abandonment = new Promise<typeof ABANDONED_READ>((resolve) => {
        abandonRead = () => resolve(ABANDONED_READ)
      })
      abandonCallbacks.add(abandonRead)
      try {
        const result = await Promise.race([work(replica.db), abandonment])
        if (result !== ABANDONED_READ) return result
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error
        problem = 'a read from the replica failed'
        logger.warn({ err: error }, 'the replica is not used')
      } finally {
        abandonCallbacks.delete(abandonRead)
      }
      return work(primary)
    },
    problem: () => problem,
    lagSeconds: () => lagSeconds,
    async close() {
      stopChecks()
      await runningCheck
      await replica.close()
    },
  }
}

interface ReplicaState {
  /** Null if the replica keeps up with the primary database. */
  problem: string | null
  lagSeconds: number | null
}

async function checkReplica(replica: Database, maxLagSeconds: number): Promise<ReplicaState> {
  try {
    const { rows } = await replica.execute<{ is_replica: boolean; lag: number | null }>(sql`
      select pg_is_in_recovery() as is_replica,
        extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as lag`)
    const [replicaRow] = rows
    if (!replicaRow?.is_replica)
      return { problem: 'the database of DATABASE_REPLICA_URL is not a replica, or was promoted', lagSeconds: null }
    const isBehind = replicaRow.lag === null || replicaRow.lag > maxLagSeconds
    return { problem: isBehind ? 'the replica does not follow the database' : null, lagSeconds: replicaRow.lag }
  } catch {
    return { problem: 'the replica does not respond', lagSeconds: null }
  }
}
