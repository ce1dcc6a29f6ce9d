import { DrizzleQueryError } from 'drizzle-orm'
import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from './config.ts'
import { formatError, listFrames } from './format-error.ts'

/**
 * Creates a logger that writes JSON lines. In the demo, it writes only warnings and errors, in
 * readable form.
 */
export function createLogger({ logLevel, demo }: Config, destination?: DestinationStream): Logger {
  const options = {
    level: demo && logLevel === 'info' ? 'warn' : logLevel,
    redact: ['req.headers.cookie', 'req.headers.authorization'],
    serializers: { err: describeError },
  }
  return pino(options, destination ?? (demo ? pretty({ sync: true }) : pino.destination(1)))
}

/**
 * Logs an error that no part of the server handled, before the process ends. Needs no
 * configuration, because the error can occur before the configuration is read.
 */
export function logCrash(error: unknown): void {
  const logger = pino({ serializers: { err: describeError } }, pino.destination({ dest: 1, sync: true }))
  logger.fatal({ err: error }, 'unhandled error, the process ends')
}

/**
 * Describes an error without the values in it. Statement parameters, and rows in PostgreSQL's
 * `detail`, contain addresses, hashes and emailed links. The long message of a chain client's error
 * contains the node's URL with its key.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { cause } = error
  return {
    type: error.constructor.name,
    message: describeMessage(error),
    ...('code' in error ? { code: error.code } : {}),
    stack: listFrames(error),
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  }
}

function describeMessage(error: Error): string {
  return error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : formatError(error)
}
