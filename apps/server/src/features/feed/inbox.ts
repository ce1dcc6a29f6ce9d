import type { WebSocket } from 'ws'

/**
 * Maximum number of messages that were read but not processed yet. If there are more messages or
 * bytes, reading pauses and TCP applies backpressure.
 */
const MAX_QUEUED_MESSAGES = 500
/** Maximum total size of the messages that were read but not processed yet. */
const MAX_QUEUED_BYTES = 1024 * 1024
/** Maximum number of messages processed together. */
const MAX_BATCH = 500
/** Maximum number of messages per second. A faster feed is read at this rate. */
const MAX_PER_SECOND = 2_000

/**
 * Processes messages in order. Messages that arrive while a batch is processed form the next batch.
 * No message is dropped: if messages arrive too fast, they are read later. A failure closes the
 * connection, and `waitUntilProcessed` rejects with its error.
 */
export function createInbox(ws: WebSocket, processMessages: (messages: (string | null)[]) => Promise<void>) {
  const queue: (string | null)[] = []
  let queuedBytes = 0
  let secondEndsAtMs = 0
  let messagesThisSecond = 0
  let throttle: NodeJS.Timeout | null = null
  let processing: Promise<void> | null = null
  let failure: { error: unknown } | null = null

  const isFull = () => queue.length >= MAX_QUEUED_MESSAGES || queuedBytes >= MAX_QUEUED_BYTES
  const applyBackpressure = () => {
    if (isFull() || throttle) ws.pause()
    else if (ws.isPaused) ws.resume()
  }
  const countMessage = () => {
    const nowMs = performance.now()
    if (nowMs >= secondEndsAtMs) {
      secondEndsAtMs = nowMs + 1_000
      messagesThisSecond = 0
    }
    messagesThisSecond += 1
    if (messagesThisSecond < MAX_PER_SECOND || throttle) return
    throttle = setTimeout(() => {
      throttle = null
      applyBackpressure()
    }, secondEndsAtMs - nowMs)
  }
  const processQueue = async () => {
    // Delay the first batch, so that messages that arrive together form one batch.
    await null
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH)
      queuedBytes = queue.reduce((sum, raw) => sum + (raw?.length ?? 0), 0)
      await processMessages(batch)
      applyBackpressure()
    }
    processing = null
  }
  return {
    receive(raw: string | null) {
      if (failure) return
      queue.push(raw)
      queuedBytes += raw?.length ?? 0
      countMessage()
      applyBackpressure()
      processing ??= processQueue().catch((error: unknown) => {
        failure = { error }
        ws.terminate()
      })
    },
    /** Resolves when all received messages are processed. */
    async waitUntilProcessed() {
      if (throttle) clearTimeout(throttle)
      await processing
      if (failure) throw failure.error
    },
  }
}
