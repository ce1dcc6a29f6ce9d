import pg from 'pg'
import type { Logger } from 'pino'

/** Numbers that all instances agree on, one for each job that only one of them may do. */
export const leaderLocks = {
  anchoring: 7_205_759_404,
  feed: 7_205_759_405,
  payments: 7_205_759_406,
  wallets: 7_205_759_407,
  subscriberMails: 7_205_759_408,
} as const

const RETRY_MS = 1_000
/** A host that does not even refuse must not hold up a stop. */
const CONNECT_TIMEOUT_MS = 5_000

/**
 * Runs `work` on whichever instance holds the advisory lock. When the lock's connection breaks, `signal` aborts and the next holder starts; work must
 * therefore be safe to begin again from what the tables say. Returns a function that stops it and waits.
 */
export function lead(
  url: string,
  lock: number,
  logger: Logger,
  work: (signal: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const stop = new AbortController()
  const running = (async () => {
    while (!stop.signal.aborted) {
      try {
        await leadOnce(url, lock, stop.signal, work)
      } catch (error) {
        logger.error({ err: error, lock }, 'leading a job failed, trying again')
      }
      await pause(RETRY_MS, stop.signal)
    }
  })()
  return async () => {
    stop.abort()
    await running
  }
}

async function leadOnce(url: string, lock: number, stop: AbortSignal, work: (signal: AbortSignal) => Promise<void>) {
  const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  const term = new AbortController()
  const end = () => term.abort()
  client.on('error', end)
  client.on('end', end)
  stop.addEventListener('abort', end)
  try {
    await client.connect()
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [lock])
    if (rows[0]?.held) await work(term.signal)
  } finally {
    stop.removeEventListener('abort', end)
    await client.end().catch(() => {})
  }
}

/** Waits, or returns at once when aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
