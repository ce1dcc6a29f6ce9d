/**
 * No longer than the clients waited on their own before there was a hint: longer waits would exceed
 * the limit of two seconds for the gap of a stream in a rolling restart.
 */
export const MAX_RETRY_HINT_MS = 500

/** Spreads the reconnects of all clients of a stopping instance evenly, in milliseconds. */
export const newRetryHint = () => Math.round(Math.random() * MAX_RETRY_HINT_MS)
