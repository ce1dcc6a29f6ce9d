import { type SQL, sql } from 'drizzle-orm'
import type { Pool } from 'pg'
import PgBoss from 'pg-boss'
import type { Logger } from 'pino'
import type { Mail, MailedLink } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { mailsTotal } from '../metrics.ts'
import type { Deliver } from './transport.ts'

export interface Mailer {
  /** Creates the queue if it does not exist. Call this before `start` and the first `sendMail`. */
  prepare(): Promise<void>
  /** Starts delivery. */
  start(): void
  /**
   * Reads the queue immediately. Call this when `isMailDue` is true. This also sends retries, and
   * emails that a killed instance had queued.
   */
  look(): void
  /**
   * Queues the email in the transaction of the caller: it is sent if and only if the transaction
   * commits.
   */
  sendMail(tx: Queryable, mail: Mail): Promise<void>
  /**
   * Waits for deliveries in progress. Emails that are still queued are sent after the next start.
   */
  stop(): Promise<void>
}

type LinkState = 'started' | 'running' | 'ended'

/** Starts the lifetime of the link in an email when the email is sent. */
export interface MailLinks {
  /**
   * Called when the mail server waits for the text. The email must not be sent if the link is no
   * longer valid: it was used or replaced, or its lifetime started with an earlier attempt and is
   * over.
   */
  start(link: MailedLink): Promise<LinkState>
  /**
   * Undoes `start`. Called if the mail server rejected the text after `start` had returned
   * 'started'.
   */
  restore(link: MailedLink): Promise<void>
  /** Called after the mail server has accepted the email. */
  recordAccepted(link: MailedLink): Promise<void>
}

const noLinks: MailLinks = { start: async () => 'running', restore: async () => {}, recordAccepted: async () => {} }

const QUEUE = 'mail'
/** Poll interval of an empty queue. `sendMail` and `look` end the wait early. */
const POLL_MS = 60_000
/**
 * Delay after `sendMail` until the queue is read, because the caller's transaction is about to
 * commit. The delay doubles up to `POLL_MS` while the queue is empty.
 */
const FIRST_POLL_MS = 50
const BATCH_SIZE = 10
/**
 * Delays of 3 s, 6 s, 12 s and so on, each with up to 100% jitter: the last retry is 27 to 54 hours
 * after the first attempt.
 */
const RETRY = { retryLimit: 15, retryDelay: 3, retryBackoff: true }
/** True if an email in the queue is due, including emails of other instances. */
export const isMailDue = sql<boolean>`exists (
  select from pgboss.job where name = ${QUEUE} and state < 'active' and start_after < now())`
/** Time after which a delivery is considered crashed and is retried. */
const EXPIRE_IN_SECONDS = 120

/**
 * @param pool pool of the application database; the queue uses its schema `pgboss`
 * @param options `pollMs` is the poll interval of an empty queue
 */
export function createMailer(
  pool: Pool,
  deliver: Deliver,
  logger: Logger,
  { pollMs = POLL_MS, links = noLinks }: { pollMs?: number; links?: MailLinks } = {},
): Mailer {
  const executeSql = (text: string, values: unknown[]) => pool.query(text, values)
  const boss = new PgBoss({ db: { executeSql }, schedule: false, expireInSeconds: EXPIRE_IN_SECONDS, ...RETRY })
  boss.on('error', (error) => logger.error({ err: error }, 'the mail queue failed'))
  const stopController = new AbortController()
  let runningWork: Promise<void> = Promise.resolve()
  let waitMs = pollMs
  let wakeUp = () => {}

  const handleJob = async ({ id, data }: PgBoss.Job<Mail>) => {
    const { link } = data
    let linkState = 'running' as LinkState
    const startLink = async () => {
      if (link) linkState = await links.start(link)
      return linkState !== 'ended'
    }
    try {
      await deliver(id, data, startLink)
      if (link) await links.recordAccepted(link)
      // Delete completed jobs, because emails contain secret links.
      await boss.deleteJob(QUEUE, id)
      mailsTotal.inc({ outcome: 'sent' })
      return true
    } catch (error) {
      if (linkState === 'ended') {
        logger.info({ mailId: id }, 'a mail was not sent, because its link is used, replaced or expired')
        await boss.deleteJob(QUEUE, id)
        return false
      }
      if (link && linkState === 'started' && isRejection(error)) await links.restore(link)
      mailsTotal.inc({ outcome: 'failed' })
      logger.warn({ err: error, mailId: id }, 'mail delivery failed, it will be retried')
      await boss.fail(QUEUE, id)
      return false
    }
  }
  const processQueue = async () => {
    while (!stopController.signal.aborted) {
      const jobs = await boss.fetch<Mail>(QUEUE, { batchSize: BATCH_SIZE })
      const outcomes = await Promise.allSettled(jobs.map(handleJob))
      const sentCount = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
      if (sentCount > 0) logger.info({ sent: sentCount }, 'mails sent')
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') logger.error({ err: outcome.reason }, 'the mail queue failed')
      }
      if (jobs.length === 0 && !stopController.signal.aborted) await sleep()
    }
  }
  const sleep = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs)
      waitMs = Math.min(2 * waitMs, pollMs)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  return {
    async prepare() {
      await boss.start()
      await boss.createQueue(QUEUE)
    },
    start() {
      runningWork = processQueue()
    },
    look: () => wakeUp(),
    async sendMail(tx, mail) {
      const db = { executeSql: (text: string, values: unknown[]) => tx.execute(bindValues(text, values)) }
      const id = await boss.send(QUEUE, mail, { db })
      if (id === null) throw new Error('sendMail was called before the mailer was prepared')
      waitMs = Math.min(FIRST_POLL_MS, pollMs)
      wakeUp()
    },
    async stop() {
      stopController.abort()
      wakeUp()
      await runningWork
      await boss.stop({ graceful: false })
    },
  }
}

/** True if the mail server replied with an error, so it will certainly not deliver the email. */
const isRejection = (error: unknown) => error instanceof Error && 'responseCode' in error && Boolean(error.responseCode)

/**
 * Converts a statement with $1, $2 … to drizzle, so that it can run in a transaction of drizzle.
 */
function bindValues(text: string, values: unknown[]): SQL {
  const textParts = text.split(/\$(\d+)/)
  return sql.join(
    textParts.map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`)),
  )
}
