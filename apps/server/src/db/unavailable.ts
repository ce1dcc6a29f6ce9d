/**
 * SQLSTATE codes of an unavailable database (PostgreSQL manual, appendix A): connection exception,
 * insufficient resources, shutdown, I/O error, read-only transaction, idle-in-transaction timeout.
 */
const UNAVAILABLE_STATE = /^(08|53|57P0|58030|25006|25P03)/
/** SQLSTATE codes of a lock timeout, and of a statement timeout or cancellation by an operator. */
const TIMEOUT_STATE = /^(55P03|57014)$/
const DEADLOCK_STATE = '40P01'
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])
/** Driver errors without a code, which are recognised by their message. */
const DRIVER_MESSAGE =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Client was closed)/

/**
 * True if the database is unreachable, read-only or busy. Retrying the same call later may succeed.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = getCode(error)
  if (UNAVAILABLE_STATE.test(code) || SYSTEM_CODES.has(code) || DRIVER_MESSAGE.test(error.message)) return true
  if (isSocketMissing(error)) return true
  return isDatabaseBusy(error) || isDatabaseUnavailable(error.cause)
}

/**
 * True if a statement or its wait for a lock timed out, or if the database ended the transaction to
 * resolve a deadlock. The statement changed nothing.
 */
export function isDatabaseBusy(error: unknown): boolean {
  if (isDeadlock(error)) return true
  return error instanceof Error && (TIMEOUT_STATE.test(getCode(error)) || isDatabaseBusy(error.cause))
}

/** True if the database ended the transaction to resolve a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && (getCode(error) === DEADLOCK_STATE || isDeadlock(error.cause))
}

/**
 * True if the Unix socket of the database is missing: PostgreSQL removes it when it stops. Any
 * other missing file is a fault.
 */
function isSocketMissing(error: Error): boolean {
  return getCode(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect'
}

function getCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
