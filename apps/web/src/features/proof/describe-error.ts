import { ApiError, getErrorMessage } from '../../api/api.ts'

/**
 * Returns the message of an error from this code or the server. Replaces the browser's messages for
 * network errors by the fallback, because they are not helpful.
 */
export function describeError(error: Error, fallback: string): string {
  return error instanceof ApiError || error instanceof TypeError ? getErrorMessage(error, fallback) : error.message
}
