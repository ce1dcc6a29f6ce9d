import { Pool } from 'pg'
import type { Context } from '../../src/context.ts'

const LIMIT_SECONDS = 120

/** Settings for a server whose lock timeouts are extended. */
export const longStatements = { databaseTimeoutSeconds: LIMIT_SECONDS }

/**
 * Lets the server wait for locks, and hold them in idle transactions, for two minutes. A test that
 * holds a lock until others wait for it can take longer on a busy machine than a server allows.
 * Start the server with `longStatements`.
 * @returns the connection pool of the server
 */
export function extendLockTimeouts({ db }: Context): Pool {
  const pool: unknown = Reflect.get(db, '$client')
  if (!(pool instanceof Pool)) throw new Error('The database has no pool')
  // On each use, because the pool already has connections. If the connection is broken, the
  // statement of the caller fails too.
  pool.on('acquire', (client) => {
    client
      .query(`set lock_timeout = '${LIMIT_SECONDS} s'; set idle_in_transaction_session_timeout = '${LIMIT_SECONDS} s'`)
      .catch(() => {})
  })
  return pool
}
