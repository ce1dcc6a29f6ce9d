/** SQLSTATE classes (PostgreSQL, appendix A): connection exceptions, out of disk or connections, shut down, read-only, idle transaction ended. */
const STATE = /^(08|53|57P0|58030|25006|25P03)/
/** A lock or statement timeout, or a statement that an operator cancelled: the database is busy. */
const BUSY_STATE = /^(55P03|57014)$/
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])
/** What the driver says without a code. */
const DRIVER_MESSAGE =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Client was closed)/

/** True if the database does not answer or accepts no writes now: the same call may work later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (STATE.test(code) || SYSTEM_CODES.has(code) || DRIVER_MESSAGE.test(error.message)) return true
  return isDatabaseBusy(error) || isDatabaseUnavailable(error.cause)
}

/** True if another transaction held what was needed for too long. Nothing was changed. */
export function isDatabaseBusy(error: unknown): boolean {
  return error instanceof Error && (BUSY_STATE.test(codeOf(error)) || isDatabaseBusy(error.cause))
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
