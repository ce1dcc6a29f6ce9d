import { setTimeout as delay } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import type { Pool } from 'pg'
import PgBoss from 'pg-boss'
import type { Logger } from 'pino'
import type { Mail } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import type { Deliver } from './transport.ts'

export interface Mailer {
  /** Makes the queue if it is missing. Call this or `start` before the first `sendMail`. */
  prepare(): Promise<void>
  /** Prepares, and begins to deliver. */
  start(): Promise<void>
  /** Queues the mail in the caller's transaction: it goes out if that commits, and only then. */
  sendMail(tx: Queryable, mail: Mail): Promise<void>
  /** Ends after the deliveries that are under way. What is left in the queue waits for the next start. */
  stop(): Promise<void>
}

const QUEUE = 'mail'
const POLL_MS = 500
const BATCH_SIZE = 10
/** After 3 s, 6 s, 12 s and so on, each at most doubled at random: the last of these tries comes 27 to 54 hours after the first. */
const RETRY = { retryLimit: 15, retryDelay: 3, retryBackoff: true }
/** A delivery that has not ended by then has died with its process, and is tried again. */
const EXPIRE_IN_SECONDS = 120

/**
 * @param pool of the product's database; the queue lives in its schema `pgboss`.
 * @param pollMs how long an empty queue is left alone
 */
export function createMailer(pool: Pool, deliver: Deliver, logger: Logger, pollMs = POLL_MS): Mailer {
  const executeSql = (text: string, values: unknown[]) => pool.query(text, values)
  const boss = new PgBoss({ db: { executeSql }, schedule: false, expireInSeconds: EXPIRE_IN_SECONDS, ...RETRY })
  boss.on('error', (error) => logger.error({ err: error }, 'mail queue'))
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()

  const handle = async ({ id, data }: PgBoss.Job<Mail>) => {
    try {
      await deliver(id, data)
      // Deleted, not kept as done: mails carry secret links.
      await boss.deleteJob(QUEUE, id)
      return true
    } catch (error) {
      logger.warn({ err: error, mailId: id }, 'a mail was not delivered, it will be tried again')
      await boss.fail(QUEUE, id)
      return false
    }
  }
  const work = async () => {
    while (!stopping.signal.aborted) {
      const jobs = await boss.fetch<Mail>(QUEUE, { batchSize: BATCH_SIZE })
      const outcomes = await Promise.allSettled(jobs.map(handle))
      const sent = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
      if (sent > 0) logger.info({ sent }, 'mails sent')
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') logger.error({ err: outcome.reason }, 'mail queue')
      }
      if (jobs.length === 0) await delay(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const prepare = async () => {
    await boss.start()
    await boss.createQueue(QUEUE)
  }
  return {
    prepare,
    async start() {
      await prepare()
      running = work()
    },
    async sendMail(tx, mail) {
      const db = { executeSql: (text: string, values: unknown[]) => tx.execute(bindValues(text, values)) }
      const id = await boss.send(QUEUE, mail, { db })
      if (id === null) throw new Error('A mail was sent before the mailer was started')
    },
    async stop() {
      stopping.abort()
      await running
      await boss.stop({ graceful: false })
    },
  }
}

/** A statement with $1, $2 … as drizzle takes it, so that it runs in drizzle's transaction. */
function bindValues(text: string, values: unknown[]): SQL {
  const parts = text.split(/\$(\d+)/)
  return sql.join(parts.map((part, at) => (at % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`)))
}
