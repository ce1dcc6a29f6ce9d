import { randomUUID } from 'node:crypto'
import type { BackgroundJob } from '@tocsin/protocol'
import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { pause } from '../pause.ts'
import type { ConnectionLimits } from './connection.ts'
import { type Database, openDatabase, type Tx } from './database.ts'
import { createNotificationSql, HEARTBEAT_MS, type NotificationBus } from './notification-bus.ts'
import { leases } from './schema/server.ts'
import { isDatabaseBusy } from './unavailable.ts'

/**
 * Background jobs that only one instance may run at a time, each with the key of the advisory lock
 * that older releases use for it. An older release may still run during an upgrade. It does not
 * know leases, so its lock takes precedence.
 */
export const leaderLocks = {
  anchoring: 7_205_759_404,
  feed: 7_205_759_405,
  payments: 7_205_759_406,
  wallets: 7_205_759_407,
  subscriberMails: 7_205_759_408,
  channels: 7_205_759_409,
  securityLog: 7_205_759_410,
  protectedChanges: 7_205_759_411,
  messages: 7_205_759_412,
  schedule: 7_205_759_413,
} as const satisfies Record<BackgroundJob, number>

export type Job = keyof typeof leaderLocks

export interface LeaseTimes {
  /** Duration of a lease after its last renewal, by the database's clock. */
  ttlMs: number
  /** The holder stops this long before its lease ends, by its own monotonic clock. */
  marginMs: number
  /** Interval at which holders check whether a renewal is due. */
  tickMs: number
}

const usualTimes: LeaseTimes = { ttlMs: 10_000, marginMs: 2_000, tickMs: 1_000 }

/** The period during which one instance runs a job. */
export interface Term {
  /**
   * Aborts when the job must stop: with `LeaseLost` if the lease was lost or could not be renewed
   * in time, with another reason if the server stops.
   */
  signal: AbortSignal
  /**
   * Call this first in every transaction of the job in which a late write could do harm. No other
   * instance can take over until that transaction ends. Fails in a process that was frozen for
   * longer than its lease.
   * @throws LeaseLost
   */
  fence(tx: Tx): Promise<void>
}

export class LeaseLost extends Error {
  constructor(job: Job) {
    super(`This instance no longer holds the lease for ${job}`)
    this.name = 'LeaseLost'
  }
}

export interface Leadership {
  /**
   * Runs `work` while this instance holds the lease. `work` must be able to restart from the state
   * in the database. If it returns before its signal aborts, other instances can acquire the lease
   * immediately, this one after a pause. Returns a function that stops `work`, waits for it to end,
   * and releases the lease so that another instance can take over immediately.
   */
  lead(job: Job, work: (term: Term) => Promise<void>): () => Promise<void>
  /** Jobs that this instance currently runs. */
  held(): Job[]
  /** Closes the connection. Stop all jobs before calling this. */
  close(): Promise<void>
}

interface Candidate {
  job: Job
  work: (term: Term) => Promise<void>
  /** Null while this instance does not hold the lease. */
  term: RunningTerm | null
  /** The earliest time of the next attempt, after work that failed or returned by itself. */
  retryAtMs: number
  isStopping: boolean
}

interface RunningTerm {
  token: number
  abort: AbortController
  /** Times of the next renewal and of the end of the term, by the holder's own monotonic clock. */
  renewAtMs: number
  validUntilMs: number
  ended: Promise<void>
}

/**
 * Number of renewals within the duration of a lease. Several, so that one lost connection does not
 * end the lease.
 */
const RENEWALS_PER_LEASE = 5

/**
 * Limits of the connection that acquires, renews and releases the leases of all jobs. Each query
 * must end well within the duration of a lease. The connection is not opened before a lease is
 * free, which the heartbeat of the notification bus reports over another connection.
 */
const limits: ConnectionLimits = {
  connectMs: 2_500,
  statementMs: 2_000,
  lockMs: 1_000,
  idleInTransactionMs: 2_000,
  silenceMs: 2_500,
}
/**
 * Pause after work that failed or returned by itself, before this instance tries to acquire the
 * lease again.
 */
const RETRY_DELAY_MS = 1_000

export function openLeadership(
  url: string,
  notifications: Pick<NotificationBus, 'watch' | 'heartbeat' | 'on'>,
  logger: Logger,
  times: LeaseTimes = usualTimes,
): Leadership {
  const holder = randomUUID()
  const { db, close } = openDatabase(url, () => {}, {
    limits,
    max: 1,
    // The lock is a shared one: after a reconnect, the earlier connection may still hold it,
    // because PostgreSQL has not noticed its loss yet.
    onSession: async (client) =>
      void (await client.query(`select pg_advisory_lock_shared(${toPresenceLockKey('$1::uuid')})`, [holder])),
  })
  const candidates = new Set<Candidate>()
  const nowMs = () => performance.now()
  /** Jobs that were free at the last heartbeat. */
  let freeJobs = new Set<string>()
  let isTicking: Promise<void> | null = null
  let isTickDue = false
  let isReachable = true

  const tick = async () => {
    try {
      await renew([...candidates])
      await acquireFreeLeases([...candidates].filter(isWaiting))
      if (!isReachable) logger.info('the leases can be reached again')
      isReachable = true
    } catch (error) {
      if (isReachable) logger.warn({ err: error }, 'the leases cannot be reached')
      isReachable = false
    }
  }

  /**
   * Renews all leases with one statement as soon as one renewal is due. If the statement does not
   * return a lease, this instance has lost it, so the term ends.
   */
  const renew = async (allCandidates: readonly Candidate[]) => {
    const runningCandidates = allCandidates.flatMap((candidate) =>
      candidate.term ? [{ ...candidate, term: candidate.term }] : [],
    )
    const heldTerms = runningCandidates.filter(({ term }) => !term.abort.signal.aborted)
    if (!heldTerms.some(({ term }) => nowMs() >= term.renewAtMs)) return
    const sentAtMs = nowMs()
    const rows = await renewLeases(
      db,
      holder,
      heldTerms.map(({ job, term }) => ({ job, token: term.token })),
      times.ttlMs,
    )
    const renewedJobs = new Set(rows)
    for (const { job, term } of heldTerms) {
      if (renewedJobs.has(job)) Object.assign(term, dates(sentAtMs))
      else end(job, term, 'another instance has the lease')
    }
  }

  const acquireFreeLeases = async (waitingCandidates: readonly Candidate[]) => {
    for (const candidate of waitingCandidates) {
      if (!freeJobs.delete(candidate.job)) continue
      const sentAtMs = nowMs()
      const token = await acquireLease(db, holder, candidate.job, times.ttlMs)
      if (token === null) {
        // Another instance was faster, or a transaction of the previous holder still runs. A
        // heartbeat tells whether the job is still free. If so, the next attempt follows
        // immediately.
        notifications.heartbeat()
        continue
      }
      if (candidate.isStopping) await releaseLease(db, holder, candidate.job, token)
      else beginTerm(candidate, { token, ...dates(sentAtMs) })
    }
  }

  const isWaiting = ({ term, isStopping, retryAtMs }: Candidate) => term === null && !isStopping && nowMs() >= retryAtMs

  const dates = (sentAtMs: number) => ({
    renewAtMs: sentAtMs + times.ttlMs / RENEWALS_PER_LEASE,
    validUntilMs: sentAtMs + times.ttlMs - times.marginMs,
  })

  const beginTerm = (candidate: Candidate, acquiredTerm: Pick<RunningTerm, 'token' | 'renewAtMs' | 'validUntilMs'>) => {
    const { job } = candidate
    const { token } = acquiredTerm
    const abort = new AbortController()
    const term: RunningTerm = { ...acquiredTerm, abort, ended: Promise.resolve() }
    const fence = async (tx: Tx) => {
      const isHeld = nowMs() < term.validUntilMs && (await lockLease(tx, holder, job, token))
      if (isHeld) return
      end(job, term, 'the lease was lost')
      throw new LeaseLost(job)
    }
    const stopWatching = watchDeadline(job, term)
    logger.info({ job, token }, 'this instance leads')
    candidate.term = term
    term.ended = (async () => {
      try {
        await candidate.work({ signal: abort.signal, fence })
        // `work` returns early if it cannot run on this instance, for example because its clock is
        // wrong. The pause lets another instance acquire the lease first.
        if (!abort.signal.aborted) delayRetry(candidate)
      } catch (error) {
        if (!abort.signal.aborted) logger.error({ err: error, job }, 'leader job failed, retrying')
        delayRetry(candidate)
      } finally {
        stopWatching()
        abort.abort()
      }
      await releaseLease(db, holder, job, token).catch(() => {})
      candidate.term = null
    })()
  }

  const delayRetry = (candidate: Candidate) => {
    candidate.retryAtMs = nowMs() + RETRY_DELAY_MS
    setTimeout(notifications.heartbeat, RETRY_DELAY_MS).unref()
  }

  /**
   * Ends the term if the lease was not renewed in time. When a frozen process resumes, its overdue
   * timer ends the term. Until the timer fires, `fence` rejects transactions.
   */
  const watchDeadline = (job: Job, term: RunningTerm): (() => void) => {
    let timer: NodeJS.Timeout
    const check = () => {
      const leftMs = term.validUntilMs - nowMs()
      if (leftMs > 0) timer = setTimeout(check, leftMs)
      else end(job, term, 'the lease could not be renewed in time')
    }
    timer = setTimeout(check, term.validUntilMs - nowMs())
    return () => clearTimeout(timer)
  }

  const end = (job: Job, { abort, token }: RunningTerm, reason: string) => {
    if (abort.signal.aborted) return
    logger.warn({ job, token, reason }, 'this instance no longer leads')
    abort.abort(new LeaseLost(job))
  }

  const startTick = () => {
    isTickDue = true
    isTicking ??= tickWhileDue().finally(() => {
      isTicking = null
    })
  }
  const tickWhileDue = async () => {
    while (isTickDue) {
      isTickDue = false
      await tick()
    }
  }
  const timer = setInterval(startTick, times.tickMs)
  let expiry: NodeJS.Timeout | undefined
  const onHeartbeat = (freeAfterMs: Record<string, number>) => {
    const waitingJobs = [...candidates].filter(isWaiting).map(({ job }) => job)
    freeJobs = new Set(waitingJobs.filter((job) => freeAfterMs[job] === 0))
    if (freeJobs.size > 0) startTick()
    // The lease of a frozen holder can expire between two heartbeats. Send an additional heartbeat
    // when it expires.
    clearTimeout(expiry)
    const nextExpiryMs = Math.min(...waitingJobs.flatMap((job) => freeAfterMs[job] || Number.POSITIVE_INFINITY))
    if (nextExpiryMs < HEARTBEAT_MS) expiry = setTimeout(notifications.heartbeat, nextExpiryMs)
  }
  const stops = [
    notifications.watch(() => selectFreeLeases, onHeartbeat),
    notifications.on('leases', notifications.heartbeat),
  ]

  return {
    lead(job, work) {
      const candidate: Candidate = { job, work, term: null, retryAtMs: 0, isStopping: false }
      candidates.add(candidate)
      queueMicrotask(notifications.heartbeat)
      return async () => {
        candidate.isStopping = true
        candidate.term?.abort.abort()
        await isTicking
        await candidate.term?.ended
        candidates.delete(candidate)
      }
    },
    held: () => [...candidates].flatMap(({ job, term }) => (term && !term.abort.signal.aborted ? [job] : [])),
    async close() {
      for (const stop of stops) stop()
      clearTimeout(expiry)
      clearInterval(timer)
      await isTicking
      await close()
    },
  }
}

/** Wraps the database so that every transaction calls the fence first. */
export function withFencing(db: Database, { fence }: Pick<Term, 'fence'>): Database {
  const transaction: Database['transaction'] = (work, config) =>
    db.transaction(async (tx) => {
      await fence(tx)
      return work(tx)
    }, config)
  const pipeline: Database['pipeline'] = (work) =>
    db.pipeline(async (tx, control) => {
      const begun = Promise.all([control.begun, fence(tx)]).then(() => {})
      // `work` awaits this promise before it writes, so it handles the error.
      begun.catch(() => {})
      const result = await work(tx, { ...control, begun })
      await begun
      return result
    })
  return Object.assign(Object.create(db), { transaction, pipeline })
}

/**
 * Key of the advisory lock that an instance holds while its connection is open. PostgreSQL releases
 * the lock when the process is killed, so that other instances need not wait for the lease to
 * expire. A process that is frozen, or whose network drops packets, keeps the lock.
 */
const toPresenceLockKey = (holder: string) => `('x' || left(replace(${holder}::text, '-', ''), 16))::bit(64)::bigint`

const isGone = sql`not ${isLocked(sql.raw(toPresenceLockKey('leases.holder')))}`

/** SQL condition: the lease has expired, or its holder's connection is closed. */
const isAbandoned = sql`(leases.expires_at <= clock_timestamp() or ${isGone})`

const createExpirySql = (ttlMs: number) => sql`clock_timestamp() + ${ttlMs} * interval '1 millisecond'`

/** SQL condition: some session holds the advisory lock with this key. */
function isLocked(key: SQL): SQL {
  return sql`exists (
    select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
    and ((classid::bigint << 32) | objid::bigint) = ${key} and database = (select oid from pg_database where datname = current_database()))`
}

/** @returns the jobs whose leases were renewed */
async function renewLeases(
  db: Database,
  holder: string,
  heldLeases: readonly { job: Job; token: number }[],
  ttlMs: number,
): Promise<string[]> {
  const [jobs, tokens, locks] = [
    heldLeases.map(({ job }) => job),
    heldLeases.map(({ token }) => token),
    heldLeases.map(({ job }) => leaderLocks[job]),
  ]
  const { rows } = await db.execute<{ job: string }>(sql`
    update leases set expires_at = ${createExpirySql(ttlMs)}
    from unnest(${sql.param(jobs)}::text[], ${sql.param(tokens)}::bigint[], ${sql.param(locks)}::bigint[]) held (job, token, lock)
    where leases.job = held.job and leases.token = held.token and leases.holder = ${holder}
      and leases.expires_at > clock_timestamp() and not ${isLocked(sql`held.lock`)}
    returning leases.job`)
  return rows.map(({ job }) => job)
}

/**
 * SQL expression: by job, the number of milliseconds until its lease is free, or 0 if it is free
 * now. Jobs that an older release leads are left out.
 */
const selectFreeLeases = sql<Record<string, number>>`(
  select coalesce(json_object_agg(job, case when leases.holder is null or ${isGone} then 0
    else ceil(greatest(0, extract(epoch from expires_at - clock_timestamp()) * 1000)) end), '{}')
  from unnest(${sql.param(Object.keys(leaderLocks))}::text[], ${sql.param(Object.values(leaderLocks))}::bigint[]) wanted (job, lock)
  left join leases using (job)
  where not ${isLocked(sql`wanted.lock`)})`

/**
 * Tries to acquire a lease.
 * @returns the token, or null if another instance was faster or a fenced transaction of the
 * previous holder still runs
 */
async function acquireLease(db: Database, holder: string, job: Job, ttlMs: number): Promise<number | null> {
  try {
    const { rows } = await db.execute<{ token: string }>(sql`
      insert into leases (job, holder, token, expires_at) values (${job}, ${holder}, 1, ${createExpirySql(ttlMs)})
      on conflict (job) do update set holder = excluded.holder, token = leases.token + 1, expires_at = ${createExpirySql(ttlMs)}
      where ${isAbandoned}
      returning token`)
    return rows[0] ? Number(rows[0].token) : null
  } catch (error) {
    if (isDatabaseBusy(error)) return null
    throw error
  }
}

async function lockLease(tx: Tx, holder: string, job: Job, token: number): Promise<boolean> {
  const rows = await tx
    .select({ token: leases.token })
    .from(leases)
    .where(and(eq(leases.job, job), eq(leases.token, token), eq(leases.holder, holder)))
    .for('key share')
  return rows.length > 0
}

/** Releases a lease and notifies the other instances in the same statement. */
async function releaseLease(db: Database, holder: string, job: Job, token: number): Promise<void> {
  const released = db.$with('released').as(
    db
      .update(leases)
      .set({ expiresAt: sql`clock_timestamp()` })
      .where(
        and(
          eq(leases.job, job),
          eq(leases.token, token),
          eq(leases.holder, holder),
          gt(leases.expiresAt, sql`clock_timestamp()`),
        ),
      )
      .returning(),
  )
  await db
    .with(released)
    .select({ sent: createNotificationSql('leases', sql`''`) })
    .from(released)
}

/** Interval at which jobs look for due work while no heartbeats arrive. */
const FALLBACK_POLL_MS = 30_000

/**
 * Waits until a heartbeat shows that work is due, or until `signal` aborts. Never rejects.
 * @param dueAfterMs milliseconds until the next work is due; null while no work is planned
 */
export async function pauseUntilDue(
  notifications: Pick<NotificationBus, 'watch'>,
  dueAfterMs: () => SQL<number | null>,
  signal: AbortSignal,
): Promise<void> {
  const dueSignal = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const stopWatching = notifications.watch(dueAfterMs, (ms) => {
    clearTimeout(timer)
    if (ms !== null && ms < HEARTBEAT_MS) timer = setTimeout(() => dueSignal.abort(), ms)
  })
  await pause(FALLBACK_POLL_MS, AbortSignal.any([signal, dueSignal.signal]))
  clearTimeout(timer)
  stopWatching()
}

/** For `pauseUntilDue`: due now if the subquery has a row. */
export const selectDueIf = (rows: SQL) => sql<number | null>`case when exists (${rows}) then 0 end`
