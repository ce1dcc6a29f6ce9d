/**
 * Maximum delay before clients reconnect. Equal to the longest backoff of a first reconnect without
 * a hint. With a longer delay, a rolling restart would interrupt a stream for more than the limit
 * of two seconds.
 */
export const MAX_RETRY_HINT_MS = 500

/**
 * Returns a random delay in milliseconds. It spreads the reconnects of all clients of a stopping
 * instance evenly.
 */
export const newRetryHint = () => Math.round(Math.random() * MAX_RETRY_HINT_MS)
