import type { Socket } from 'node:net'
import pg from 'pg'

/** Limits of a connection, in milliseconds. 0 means no limit. */
export interface ConnectionLimits {
  /** Timeout for TCP, TLS and the log-in together. */
  connectMs: number
  /** Duration after which the server cancels a statement. */
  statementMs: number
  /** Duration after which the server ends the wait for a lock. */
  lockMs: number
  /**
   * The server ends a connection that stays idle inside a transaction for this long. This frees the
   * locks of a frozen client process.
   */
  idleInTransactionMs: number
  /**
   * The client closes a connection on which the server has sent nothing for this long while a query
   * is pending. Zero disables this limit. Must exceed `statementMs`, because the server's statement
   * timeout gives the more precise error.
   */
  silenceMs: number
}

/** Maximum time for a graceful close; after it the socket is destroyed. */
const CLOSE_MS = 1_000
const KEEP_ALIVE_MS = 5_000

/**
 * Limits for commands that read or write the whole database. Their statements have no timeout, so
 * only TCP keepalive detects a lost peer.
 */
export const bulkLimits: ConnectionLimits = {
  connectMs: 5_000,
  statementMs: 0,
  lockMs: 30_000,
  idleInTransactionMs: 0,
  silenceMs: 0,
}

/** Options for `pg.Client` and `pg.Pool`. */
export function connectionOptions(url: string, { connectMs }: ConnectionLimits) {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
}

/** Properties of `pg.Client` that its type declarations omit. */
type OpenClient = pg.ClientBase & {
  connection: NodeJS.EventEmitter & { stream: Socket }
  end(...args: unknown[]): unknown
}

interface GuardedConnection {
  receivedAtMs: number
  /** When the oldest pending query was sent. Null if no query is pending. */
  queriedAtMs: number | null
  destroy(reason: string): void
}

/**
 * Detects connections whose peer disappeared without a TCP reset. TCP itself reports this only
 * after minutes, or never if a proxy keeps the connection open. When a query times out, closes its
 * connection and every idle connection that has received nothing since that query was sent.
 * @param onServerError called with the SQLSTATE of every error that the server reports
 */
export function createConnectionGuard(
  { silenceMs }: Pick<ConnectionLimits, 'silenceMs'>,
  onServerError: (sqlState: string) => void = () => {},
): (client: pg.ClientBase) => void {
  const guardedConnections = new Set<GuardedConnection>()

  const closeSilentConnections = (overdueConnection: GuardedConnection) => {
    const querySentAtMs = overdueConnection.queriedAtMs ?? 0
    overdueConnection.destroy(`The database has not responded for ${silenceMs} ms`)
    for (const otherConnection of guardedConnections) {
      if (otherConnection.queriedAtMs === null && otherConnection.receivedAtMs <= querySentAtMs)
        otherConnection.destroy('The database connection is silent')
    }
  }

  return (client) => {
    // The cast is needed, because the types of `pg` do not declare the `connection` property.
    const guardedClient = client as OpenClient
    const { connection } = guardedClient
    const { stream } = connection
    let timer: NodeJS.Timeout | undefined
    const guardedConnection: GuardedConnection = {
      receivedAtMs: performance.now(),
      queriedAtMs: null,
      destroy: (reason) => stream.destroy(Object.assign(new Error(reason), { code: 'ETIMEDOUT' })),
    }
    const watch = (waitMs: number) => {
      clearTimeout(timer)
      // After the process was paused, the response may already be in the socket buffer. Read it
      // first.
      timer = setTimeout(() => setImmediate(() => setImmediate(check)), waitMs)
    }
    const check = () => {
      if (guardedConnection.queriedAtMs === null || stream.destroyed) return
      const silentMs = performance.now() - Math.max(guardedConnection.queriedAtMs, guardedConnection.receivedAtMs)
      if (silentMs >= silenceMs) closeSilentConnections(guardedConnection)
      else watch(silenceMs - silentMs)
    }
    const unregister = () => {
      clearTimeout(timer)
      guardedConnection.queriedAtMs = null
      guardedConnections.delete(guardedConnection)
    }

    guardedConnections.add(guardedConnection)
    stream.on('data', () => {
      guardedConnection.receivedAtMs = performance.now()
    })
    stream.on('close', unregister)
    connection.on('errorMessage', ({ code }: { code?: string }) => onServerError(code ?? ''))
    guardedClient.on('drain', () => {
      guardedConnection.queriedAtMs = null
      clearTimeout(timer)
    })

    const query: (...args: unknown[]) => unknown = guardedClient.query.bind(guardedClient)
    const end: (...args: unknown[]) => unknown = guardedClient.end.bind(guardedClient)
    Object.assign(guardedClient, {
      query: (...args: unknown[]) => {
        if (silenceMs > 0 && guardedConnection.queriedAtMs === null) {
          guardedConnection.queriedAtMs = performance.now()
          watch(silenceMs)
        }
        return query(...args)
      },
      end: (...args: unknown[]) => {
        const closeTimer = setTimeout(() => stream.destroy(), CLOSE_MS)
        stream.once('close', () => clearTimeout(closeTimer))
        return end(...args)
      },
    })
  }
}

/**
 * Sets the limits that the server enforces. Uses `set`, because connection poolers reject most
 * startup parameters.
 */
export async function applyLimits(client: pg.ClientBase, limits: ConnectionLimits): Promise<void> {
  await client.query(
    `set statement_timeout = ${limits.statementMs}; set lock_timeout = ${limits.lockMs};` +
      `set idle_in_transaction_session_timeout = ${limits.idleInTransactionMs};` +
      // The server detects a lost client, and frees its locks, within 30 s.
      'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; set tcp_user_timeout = 25000',
  )
}

/** Opens a single connection with limits, outside any pool. */
export async function openClient(url: string, limits: ConnectionLimits): Promise<pg.Client> {
  const client = new pg.Client(connectionOptions(url, limits))
  // Ignored, because the queries of a broken connection fail too, and callers handle those errors.
  client.on('error', () => {})
  try {
    await client.connect()
    createConnectionGuard(limits)(client)
    await applyLimits(client, limits)
    return client
  } catch (error) {
    // Not `end`, because it waits until the server closes its side too. A server that rejects the
    // log-in may never do that.
    client.connection.stream.destroy()
    throw error
  }
}
