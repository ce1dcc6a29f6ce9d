/**
 * Maximum delay before clients reconnect. It equals the longest delay that clients used before
 * there was a hint: a longer one would exceed the limit of two seconds for the gap of a stream in a
 * rolling restart.
 */
export const MAX_RETRY_HINT_MS = 500

/**
 * Returns a random delay in milliseconds. It spreads the reconnects of all clients of a stopping
 * instance evenly.
 */
export const newRetryHint = () => Math.round(Math.random() * MAX_RETRY_HINT_MS)
