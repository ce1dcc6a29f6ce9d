import { DrizzleQueryError } from 'drizzle-orm'
import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import { BaseError } from 'viem'
import type { Config } from './config.ts'

/** JSON lines for machines; in the demo, warnings and worse for the person at the terminal. */
export function createLogger({ logLevel, demo }: Config, destination?: DestinationStream): Logger {
  const options = {
    level: demo && logLevel === 'info' ? 'warn' : logLevel,
    redact: ['req.headers.cookie', 'req.headers.authorization'],
    serializers: { err: describeError },
  }
  return pino(options, destination ?? (demo ? pretty({ sync: true }) : pino.destination(1)))
}

/**
 * What went wrong, without the values that it went wrong with: the parameters of a statement and the rows that PostgreSQL quotes in `detail` hold
 * addresses, hashes and mailed links; a chain client's long message holds the node's URL with its key.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { cause, stack = '' } = error
  return {
    type: error.constructor.name,
    message: describeMessage(error),
    ...('code' in error ? { code: error.code } : {}),
    stack: stack.split('\n').filter((line) => /^\s+at /.test(line)),
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  }
}

function describeMessage(error: Error): string {
  if (error instanceof DrizzleQueryError) return `Failed query: ${error.query}`
  return error instanceof BaseError ? error.shortMessage : error.message
}
