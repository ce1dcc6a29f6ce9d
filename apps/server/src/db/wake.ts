import { sql } from 'drizzle-orm'
import type pg from 'pg'
import type { Logger } from 'pino'
import { type ConnectionLimits, openClient } from './connection.ts'
import type { Queryable } from './database.ts'

/**
 * What changed, so that somebody looks again. Nothing is carried but a key: the tables are the truth.
 * `deliveries` and `anchors`: rows were added. `entitlement`: of account `key`. `session`: of id `key`, it has ended.
 * `preferences`, `reads`: `key` is "account/session", whose they are and where they were chosen, or where alerts were read.
 * `admin`: rows of area `key` have changed; the tables' own triggers say so.
 */
export type Topic =
  | 'deliveries'
  | 'anchors'
  | 'entitlement'
  | 'session'
  | 'preferences'
  | 'reads'
  | 'settings'
  | 'admin'

export interface Wake {
  /** Sent when the transaction commits, never when it rolls back. */
  notify(tx: Queryable, topic: Topic, key?: string): Promise<void>
  /** The same for several keys. */
  notifyAll(tx: Queryable, topic: Topic, keys: readonly string[]): Promise<void>
  /** `key` is '' after a lost connection: anything may have happened, look at everything again. */
  on(topic: Topic, listener: (key: string) => void): () => void
  close(): Promise<void>
}

const CHANNEL = 'tocsin_wake'
const RECONNECT_MS = 500
/** A listening connection is silent while nothing happens, so its loss is only noticed by asking. */
const HEARTBEAT_MS = 2_000
const limits: ConnectionLimits = {
  connectMs: 3_000,
  statementMs: 2_000,
  lockMs: 0,
  idleInTransactionMs: 0,
  silenceMs: 3_000,
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
      if (payload && separator > 0) tell(payload.slice(0, separator) as Topic, payload.slice(separator + 1))
    })
    try {
      await next.query(`listen ${CHANNEL}`)
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
    client = next
    // Closed while it was reconnecting: nothing else would end this connection.
    if (closed) await next.end()
  }
  let isAsking = false
  const ask = async () => {
    if (isAsking || !client) return
    isAsking = true
    // Without an answer the connection is closed, which `lost` hears.
    await client.query('select 1').catch(() => {})
    isAsking = false
  }
  const heartbeat = setInterval(ask, heartbeatMs)
  const lost = (which: pg.Client, error: Error | null) => {
    if (closed || client !== which) return
    client = null
    logger.warn({ err: error }, 'wake-up connection lost, reconnecting')
    retry = setTimeout(reconnect, RECONNECT_MS)
  }
  const reconnect = async () => {
    try {
      await connect()
      if (!closed) for (const topic of listeners.keys()) tell(topic, '')
    } catch {
      if (!closed) retry = setTimeout(reconnect, RECONNECT_MS)
    }
  }
  const tell = (topic: Topic, key: string) => {
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
    async close() {
      closed = true
      clearInterval(heartbeat)
      if (retry) clearTimeout(retry)
      await client?.end()
    },
  }
}
