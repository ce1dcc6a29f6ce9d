import { DrizzleQueryError } from 'drizzle-orm'
import { BaseError } from 'viem'

/**
 * Formats an error for the operator's terminal, without secrets. The message of a failed query
 * lists its parameters (addresses, hashes, emailed links) instead of the reason. The long message
 * of a chain client's error contains the node's URL with its key.
 */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof DrizzleQueryError) {
    const [statement = ''] = error.query.trim().split('\n')
    return error.cause ? `${formatError(error.cause)} (query: ${statement})` : `Failed query: ${statement}`
  }
  if (error instanceof BaseError) return error.shortMessage
  return error.message || ('code' in error ? String(error.code) : error.name)
}

/** Like `formatError`, followed by the stack frames. */
export function formatErrorWithStack(error: Error): string {
  return [`${error.name}: ${formatError(error)}`, ...listFrames(error)].join('\n')
}

/** Returns the frames of the stack without its first lines, which repeat the message. */
export function listFrames({ stack = '' }: Error): string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line))
}
