import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import type { Logger } from 'pino'
import { type ConnectionLimits, openClient } from './connection.ts'
import type { Queryable } from './database.ts'

/**
 * What has changed. A notification contains only a key, so listeners read the current state from
 * the tables.
 * - `deliveries`, `anchors`: rows were added. For `deliveries`, `key` is the last `seq`.
 * - `entitlement`: the entitlement of account `key` changed.
 * - `session`: the session with id `key` has ended.
 * - `api-key`: the API key with id `key` was revoked.
 * - `preferences`, `reads`: `key` is "account/session", the account and the session that made the
 *   change.
 * - `acknowledgements`: account `key` acknowledged an alert.
 * - `settings`: the setting `key` changed.
 * - `channels`: deliveries to destinations are due.
 * - `leases`: an instance has released a lease.
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
  | 'leases'
  | 'admin'

/** Times when a heartbeat was sent and answered, by the monotonic clock of this process. */
export interface Heartbeat {
  sentAtMs: number
  answeredAtMs: number
}

/** Notifications between the instances, by LISTEN and NOTIFY of PostgreSQL. */
export interface NotificationBus {
  /** Sends the notification when the transaction commits. */
  notify(tx: Queryable, topic: Topic, key?: string): Promise<void>
  /** Like `notify`, for several keys. */
  notifyAll(tx: Queryable, topic: Topic, keys: readonly string[]): Promise<void>
  /**
   * Adds a listener. `key` is '' after a reconnect: notifications may have been lost, so listeners
   * must reload everything.
   */
  on(topic: Topic, listener: (key: string) => void): () => void
  /**
   * Adds a scalar expression to the heartbeat, which is the one statement that an idle instance
   * sends every two seconds. Use this for changes without a notification, and to detect lost
   * notifications.
   * @param value called for each heartbeat
   * @returns a function that removes the expression
   */
  watch<T>(value: () => SQL<T>, listener: (value: T, heartbeat: Heartbeat) => void): () => void
  /** Sends a heartbeat now. */
  heartbeat(): void
  /**
   * Resolves to true when this instance has received the notifications of all committed
   * transactions, and to false when the connection is lost. A single query is sufficient, because
   * PostgreSQL sends notifications before it ends the response to a query.
   */
  catchUp(): Promise<boolean>
  close(): Promise<void>
}

const CHANNEL = 'tocsin_wake'
const RECONNECT_MS = 500
/**
 * Interval of heartbeats. A listening connection is idle between notifications, so only a query
 * detects that it is lost.
 */
export const HEARTBEAT_MS = 2_000
const limits: ConnectionLimits = {
  connectMs: 3_000,
  statementMs: 2_000,
  lockMs: 500,
  idleInTransactionMs: 0,
  silenceMs: 3_000,
}

interface WatchedValue {
  value(): SQL
  listener(value: unknown, heartbeat: Heartbeat): void
}

const dialect = new PgDialect()
const selectValues = (watchedValues: readonly WatchedValue[]) =>
  sql`select ${sql.join(
    watchedValues.map(({ value }) => value()),
    sql`, `,
  )}`

/**
 * Returns an SQL expression that sends the notification. It can be part of another statement of the
 * transaction.
 */
export function createNotificationSql(topic: Topic, key: SQL): SQL {
  return sql`pg_notify(${CHANNEL}::text, ${`${topic}:`}::text || ${key})`
}

export async function openNotificationBus(
  url: string,
  logger: Logger,
  heartbeatMs = HEARTBEAT_MS,
): Promise<NotificationBus> {
  const listeners = new Map<Topic, Set<(key: string) => void>>()
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | null = null
  let isClosed = false

  const connect = async () => {
    const newClient = await openClient(url, limits)
    newClient.on('error', (error) => handleLostConnection(newClient, error))
    newClient.on('end', () => handleLostConnection(newClient, null))
    newClient.on('notification', ({ payload }) => {
      const separator = payload?.indexOf(':') ?? -1
      if (payload && separator > 0) dispatch(payload.slice(0, separator) as Topic, payload.slice(separator + 1))
    })
    try {
      await newClient.query(`listen ${CHANNEL}`)
    } catch (error) {
      await newClient.end().catch(() => {})
      throw error
    }
    client = newClient
    // If `close` was called during the reconnect, it could not end this connection.
    if (isClosed) await newClient.end()
  }
  const watchedValues = new Set<WatchedValue>()
  let sending: Promise<void> | null = null
  let isHeartbeatDue = false
  const sendHeartbeat = () => {
    isHeartbeatDue = true
    sending ??= sendWhileDue().finally(() => {
      sending = null
    })
  }
  const sendWhileDue = async () => {
    while (isHeartbeatDue && client && !isClosed) {
      isHeartbeatDue = false
      await queryValues(client, [...watchedValues])
    }
  }
  const queryValues = async (queriedClient: pg.Client, requestedValues: readonly WatchedValue[]): Promise<void> => {
    const { sql: text, params: values } = dialect.sqlToQuery(selectValues(requestedValues))
    const sentAtMs = performance.now()
    const row = await queriedClient.query<unknown[]>({ text, values, rowMode: 'array' }).then(
      ({ rows }) => rows[0],
      // A query that times out closes its connection, which calls `handleLostConnection`.
      () => null,
    )
    if (row) {
      const heartbeatTimes = { sentAtMs, answeredAtMs: performance.now() }
      for (const [at, watchedValue] of requestedValues.entries())
        if (watchedValues.has(watchedValue)) watchedValue.listener(row[at], heartbeatTimes)
    } else if (requestedValues.length > 1) {
      // Ask for each value separately, so that a value that cannot be read, for example from a
      // locked table, does not affect the others.
      for (const watchedValue of requestedValues)
        if (client === queriedClient) await queryValues(queriedClient, [watchedValue])
    }
  }
  const timer = setInterval(() => sending ?? sendHeartbeat(), heartbeatMs)
  const handleLostConnection = (lostClient: pg.Client, error: Error | null) => {
    if (isClosed || client !== lostClient) return
    client = null
    logger.warn({ err: error }, 'the connection for notifications was lost, reconnecting')
    retry = setTimeout(reconnect, RECONNECT_MS)
  }
  const reconnect = async () => {
    try {
      await connect()
      if (!isClosed) for (const topic of listeners.keys()) dispatch(topic, '')
      sendHeartbeat()
    } catch {
      if (!isClosed) retry = setTimeout(reconnect, RECONNECT_MS)
    }
  }
  const dispatch = (topic: Topic, key: string) => {
    for (const listener of listeners.get(topic) ?? []) listener(key)
  }

  try {
    await connect()
  } catch (error) {
    clearInterval(timer)
    throw error
  }
  return {
    async notify(tx, topic, key = '') {
      await tx.execute(sql`select pg_notify(${CHANNEL}, ${`${topic}:${key}`})`)
    },
    async notifyAll(tx, topic, keys) {
      const payloads = sql.param(keys.map((key) => `${topic}:${key}`))
      await tx.execute(sql`select pg_notify(${CHANNEL}, named) from unnest(${payloads}::text[]) named`)
    },
    on(topic, listener) {
      const topicListeners = listeners.get(topic) ?? new Set()
      listeners.set(topic, topicListeners.add(listener))
      return () => topicListeners.delete(listener)
    },
    watch(value, listener) {
      const addedValue: WatchedValue = { value, listener: listener as WatchedValue['listener'] }
      watchedValues.add(addedValue)
      return () => watchedValues.delete(addedValue)
    },
    heartbeat: sendHeartbeat,
    async catchUp() {
      if (!client) return false
      return client.query('select 1').then(
        () => true,
        () => false,
      )
    },
    async close() {
      isClosed = true
      watchedValues.clear()
      clearInterval(timer)
      if (retry) clearTimeout(retry)
      await client?.end()
    },
  }
}
