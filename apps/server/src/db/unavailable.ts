/** PostgreSQL's classes (appendix A): connection exceptions, out of disk or connections, shut down. */
const STATE = /^(08|53|57P0)/
const SYSTEM_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND'])
/** What the driver says without a code. */
const DRIVER_MESSAGE =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/

/** Whether this came of a database that does not answer now: nothing was acknowledged, and the same call may work later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (STATE.test(code) || SYSTEM_CODES.has(code) || DRIVER_MESSAGE.test(error.message)) return true
  return isDatabaseUnavailable(error.cause)
}
