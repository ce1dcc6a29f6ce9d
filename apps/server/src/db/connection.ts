import type { Socket } from 'node:net'
import pg from 'pg'

/** Limits of a connection, in milliseconds. 0 means no limit. */
export interface ConnectionLimits {
  /** For TCP, TLS and the log-in together. */
  connectMs: number
  /** The server cancels a statement that runs for longer. */
  statementMs: number
  /** The server gives up waiting for a lock. */
  lockMs: number
  /** The server ends a connection whose transaction waits for its client, such as a frozen process: its locks must not outlive it. */
  idleInTransactionMs: number
  /** The client closes a connection on which the answer to a query is overdue. More than `statementMs`, which reports the better reason. */
  silenceMs: number
}

/** The time that a closing connection may take to say goodbye. */
const CLOSE_MS = 1_000
const KEEP_ALIVE_MS = 5_000

/** Limits for commands that read or write the whole database; TCP keepalive alone notices that the peer is gone. */
export const bulkLimits: ConnectionLimits = {
  connectMs: 5_000,
  statementMs: 0,
  lockMs: 30_000,
  idleInTransactionMs: 0,
  silenceMs: 0,
}

/** What `pg.Client` and `pg.Pool` take. */
export function connectionOptions(url: string, { connectMs }: ConnectionLimits) {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
}

/** The part of a client that its types leave out. */
type OpenClient = pg.ClientBase & {
  connection: NodeJS.EventEmitter & { stream: Socket }
  end(...args: unknown[]): unknown
}

interface Guarded {
  heardAtMs: number
  /** When the oldest unanswered query was sent; null while nothing is asked. */
  askedAtMs: number | null
  destroy(reason: string): void
}

/**
 * Watches the clients of one pool for a peer that has gone away without a reset: TCP reports that only after minutes, and not at all while a proxy
 * keeps the connection open. A client whose answer is overdue is closed, and with it each idle client that has been silent for as long.
 * @param onServerError hears the SQLSTATE of every error that the server reports
 */
export function createConnectionGuard(
  { silenceMs }: Pick<ConnectionLimits, 'silenceMs'>,
  onServerError: (sqlState: string) => void = () => {},
): (client: pg.ClientBase) => void {
  const all = new Set<Guarded>()

  const closeSilent = (overdue: Guarded) => {
    const since = overdue.askedAtMs ?? 0
    overdue.destroy(`The database has not answered for ${silenceMs} ms`)
    for (const other of all) {
      if (other.askedAtMs === null && other.heardAtMs <= since) other.destroy('The database connection is silent')
    }
  }

  return (client) => {
    // `pg` keeps its connection in a property that its types do not declare.
    const open = client as OpenClient
    const { connection } = open
    const { stream } = connection
    let timer: NodeJS.Timeout | undefined
    const guarded: Guarded = {
      heardAtMs: performance.now(),
      askedAtMs: null,
      destroy: (reason) => stream.destroy(Object.assign(new Error(reason), { code: 'ETIMEDOUT' })),
    }
    const watch = (waitMs: number) => {
      clearTimeout(timer)
      // After a pause of the whole process the answer may be there already: let it be read first.
      timer = setTimeout(() => setImmediate(() => setImmediate(judge)), waitMs)
    }
    const judge = () => {
      if (guarded.askedAtMs === null || stream.destroyed) return
      const silentMs = performance.now() - Math.max(guarded.askedAtMs, guarded.heardAtMs)
      if (silentMs >= silenceMs) closeSilent(guarded)
      else watch(silenceMs - silentMs)
    }
    const forget = () => {
      clearTimeout(timer)
      guarded.askedAtMs = null
      all.delete(guarded)
    }

    all.add(guarded)
    stream.on('data', () => {
      guarded.heardAtMs = performance.now()
    })
    stream.on('close', forget)
    connection.on('errorMessage', ({ code }: { code?: string }) => onServerError(code ?? ''))
    open.on('drain', () => {
      guarded.askedAtMs = null
      clearTimeout(timer)
    })

    const query: (...args: unknown[]) => unknown = open.query.bind(open)
    const end: (...args: unknown[]) => unknown = open.end.bind(open)
    Object.assign(open, {
      query: (...args: unknown[]) => {
        if (silenceMs > 0 && guarded.askedAtMs === null) {
          guarded.askedAtMs = performance.now()
          watch(silenceMs)
        }
        return query(...args)
      },
      end: (...args: unknown[]) => {
        const impatient = setTimeout(() => stream.destroy(), CLOSE_MS)
        stream.once('close', () => clearTimeout(impatient))
        return end(...args)
      },
    })
  }
}

/** Sets what the server enforces. As statements, because connection poolers refuse most start-up parameters. */
export async function applyLimits(client: pg.ClientBase, limits: ConnectionLimits): Promise<void> {
  await client.query(
    `set statement_timeout = ${limits.statementMs}; set lock_timeout = ${limits.lockMs};` +
      `set idle_in_transaction_session_timeout = ${limits.idleInTransactionMs};` +
      // The server notices the loss of this client, and frees its locks, within half a minute.
      'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; set tcp_user_timeout = 25000',
  )
}

/** One connection with limits, outside any pool. */
export async function openClient(url: string, limits: ConnectionLimits): Promise<pg.Client> {
  const client = new pg.Client(connectionOptions(url, limits))
  // A broken connection fails its queries, which report it.
  client.on('error', () => {})
  try {
    await client.connect()
    createConnectionGuard(limits)(client)
    await applyLimits(client, limits)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}
