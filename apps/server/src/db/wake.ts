import { type SQL, sql } from 'drizzle-orm'
import type pg from 'pg'
import type { Logger } from 'pino'
import { type ConnectionLimits, openClient } from './connection.ts'
import type { Queryable } from './database.ts'

/**
 * What changed. Listeners then read the current state from the tables; a notification carries only
 * a key.
 * - `deliveries`, `anchors`: rows were added. For `deliveries`, `key` is the last `seq`.
 * - `entitlement`: the entitlement of account `key` changed.
 * - `session`: the session with id `key` has ended.
 * - `api-key`: the API key with id `key` was revoked.
 * - `preferences`, `reads`: `key` is "account/session", the account and the session that made the
 * change.
 * - `acknowledgements`: account `key` acknowledged an alert.
 * - `channels`: deliveries to destinations are due.
 * - `admin`: rows of area `key` changed. Sent by database triggers.
 */
export type Topic =
  | 'deliveries'
  | 'anchors'
  | 'entitlement'
  | 'session'
  | 'api-key'
  | 'preferences'
  | 'reads'
  | 'settings'
  | 'channels'
  | 'acknowledgements'
  | 'admin'

export interface Wake {
  /** Sends the notification when the transaction commits. */
  notify(tx: Queryable, topic: Topic, key?: string): Promise<void>
  /** The same for several keys. */
  notifyAll(tx: Queryable, topic: Topic, keys: readonly string[]): Promise<void>
  /**
   * `key` is '' after a reconnect: notifications may have been lost, so listeners must reload
   * everything.
   */
  on(topic: Topic, listener: (key: string) => void): () => void
  /**
   * Resolves when this instance has heard of all transactions that have been committed, unless the
   * connection is lost: PostgreSQL sends notifications before it ends the answer to a query.
   */
  catchUp(): Promise<void>
  close(): Promise<void>
}

const CHANNEL = 'tocsin_wake'
const RECONNECT_MS = 500
/**
 * A listening connection is idle between notifications, so only a heartbeat query detects its loss.
 */
const HEARTBEAT_MS = 2_000
const limits: ConnectionLimits = {
  connectMs: 3_000,
  statementMs: 2_000,
  lockMs: 0,
  idleInTransactionMs: 0,
  silenceMs: 3_000,
}

/** The same as `notify`, as an expression within another statement of the transaction. */
export function notification(topic: Topic, key: SQL): SQL {
  return sql`pg_notify(${CHANNEL}::text, ${`${topic}:`}::text || ${key})`
}

export async function openWake(url: string, logger: Logger, heartbeatMs = HEARTBEAT_MS): Promise<Wake> {
  const listeners = new Map<Topic, Set<(key: string) => void>>()
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | null = null
  let closed = false

  const connect = async () => {
    const next = await openClient(url, limits)
    next.on('error', (error) => lost(next, error))
    next.on('end', () => lost(next, null))
    next.on('notification', ({ payload }) => {
      const separator = payload?.indexOf(':') ?? -1
      if (payload && separator > 0) dispatch(payload.slice(0, separator) as Topic, payload.slice(separator + 1))
    })
    try {
      await next.query(`listen ${CHANNEL}`)
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
    client = next
    // `close` was called during the reconnect and could not end this connection.
    if (closed) await next.end()
  }
  let isPinging = false
  const ping = async () => {
    if (isPinging || !client) return
    isPinging = true
    // If the query times out, the connection is closed, which calls `lost`.
    await client.query('select 1').catch(() => {})
    isPinging = false
  }
  const heartbeat = setInterval(ping, heartbeatMs)
  const lost = (which: pg.Client, error: Error | null) => {
    if (closed || client !== which) return
    client = null
    logger.warn({ err: error }, 'wake-up connection lost, reconnecting')
    retry = setTimeout(reconnect, RECONNECT_MS)
  }
  const reconnect = async () => {
    try {
      await connect()
      if (!closed) for (const topic of listeners.keys()) dispatch(topic, '')
    } catch {
      if (!closed) retry = setTimeout(reconnect, RECONNECT_MS)
    }
  }
  const dispatch = (topic: Topic, key: string) => {
    for (const listener of listeners.get(topic) ?? []) listener(key)
  }

  try {
    await connect()
  } catch (error) {
    clearInterval(heartbeat)
    throw error
  }
  return {
    async notify(tx, topic, key = '') {
      await tx.execute(sql`select pg_notify(${CHANNEL}, ${`${topic}:${key}`})`)
    },
    async notifyAll(tx, topic, keys) {
      const named = sql.param(keys.map((key) => `${topic}:${key}`))
      await tx.execute(sql`select pg_notify(${CHANNEL}, named) from unnest(${named}::text[]) named`)
    },
    on(topic, listener) {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set.add(listener))
      return () => set.delete(listener)
    },
    async catchUp() {
      await client?.query('select 1').catch(() => {})
    },
    async close() {
      closed = true
      clearInterval(heartbeat)
      if (retry) clearTimeout(retry)
      await client?.end()
    },
  }
}
