import type { WebSocket } from 'ws'

/** Read and not settled yet: beyond either the feed is made to wait, by TCP itself. */
const MAX_QUEUED = 500
const MAX_QUEUED_BYTES = 1024 * 1024
/** Settled together. */
const MAX_BATCH = 500
/** A feed that sends more is read no faster. */
const MAX_PER_SECOND = 2_000

/**
 * Settles messages in their order, those together that came meanwhile. Nothing is thrown away: who sends too much or too fast is read later. A failure ends the
 * connection and comes out of `settled`.
 */
export function createInbox(ws: WebSocket, settle: (raws: (string | null)[]) => Promise<void>) {
  const queue: (string | null)[] = []
  let queuedBytes = 0
  let secondEndsAtMs = 0
  let readThisSecond = 0
  let throttle: NodeJS.Timeout | null = null
  let work: Promise<void> | null = null
  let failure: { error: unknown } | null = null

  const isFull = () => queue.length >= MAX_QUEUED || queuedBytes >= MAX_QUEUED_BYTES
  const pace = () => {
    if (isFull() || throttle) ws.pause()
    else if (ws.isPaused) ws.resume()
  }
  const count = () => {
    const nowMs = performance.now()
    if (nowMs >= secondEndsAtMs) {
      secondEndsAtMs = nowMs + 1_000
      readThisSecond = 0
    }
    readThisSecond += 1
    if (readThisSecond < MAX_PER_SECOND || throttle) return
    throttle = setTimeout(() => {
      throttle = null
      pace()
    }, secondEndsAtMs - nowMs)
  }
  const settleAll = async () => {
    // Once begun it runs until nothing waits: whatever comes meanwhile finds it at work.
    await null
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH)
      queuedBytes = queue.reduce((sum, raw) => sum + (raw?.length ?? 0), 0)
      await settle(batch)
      pace()
    }
    work = null
  }
  return {
    take(raw: string | null) {
      if (failure) return
      queue.push(raw)
      queuedBytes += raw?.length ?? 0
      count()
      pace()
      work ??= settleAll().catch((error: unknown) => {
        failure = { error }
        ws.terminate()
      })
    },
    /** When all that came is settled. */
    async settled() {
      if (throttle) clearTimeout(throttle)
      await work
      if (failure) throw failure.error
    },
  }
}
