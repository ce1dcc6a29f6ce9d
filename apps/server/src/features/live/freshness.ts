import { closeCodes, restartReason } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Scheduler } from '../../scheduler.ts'
import { closeInBatches } from './close-in-batches.ts'
import type { Connections } from './connections.ts'
import { createPlainFrame, encodeMessage } from './frame.ts'
import { newRetryHint } from './retry-hint.ts'

export interface Freshness {
  /** Call it when all alerts issued so far have been read and sent. */
  recordRead(): void
  /** Returns why this instance cannot send new alerts now, or null. */
  problem(): string | null
  stop(): void
}

const CHECK_MS = 1_000
/** Time without a successful read after which the reader counts as failing. It polls every 2 s. */
const STALE_MS = 5_000
/**
 * Minimum number of consecutive checks without a successful read before the reader counts as
 * failing. A process that was suspended, or whose event loop was blocked, thus has time to read.
 */
const STALE_CHECKS = STALE_MS / CHECK_MS
/**
 * Time without a successful read after which sockets are closed, so that their clients connect to
 * another instance. A database restart takes less.
 */
const CLOSE_MS = 20_000

/**
 * Notifies clients when this instance cannot read new alerts because its database does not answer,
 * so that they do not show "live".
 * @param nowMs a monotonic clock
 */
export function watchFreshness(
  ctx: Pick<Context, 'clock' | 'logger'>,
  connections: Pick<Connections, 'all' | 'size'>,
  scheduler: Scheduler,
  nowMs = () => performance.now(),
  close: typeof closeInBatches = closeInBatches,
): Freshness {
  let readAtMs = nowMs()
  let checkedAtMs = nowMs()
  let checks = 0
  let isStale = false
  let isClosing = false

  const notifyDelay = (since: string) => {
    const bytes = encodeMessage({ type: 'delayed', since })
    for (const connection of connections.all()) connection.write(bytes)
  }
  /**
   * Notifies clients that the instance reads again. The message is queued after the alerts that
   * were read, which may still wait for a recheck of the client's rights.
   */
  const notifyRecovery = () => {
    const frame = createPlainFrame({ type: 'delayed', since: null })
    for (const connection of connections.all()) {
      const { sendQueue } = connection.streamSubscription
      if (sendQueue) sendQueue.push(frame)
      else connection.write(frame.bytes)
    }
  }
  /**
   * Closes the sockets in batches. If this instance can read again before a socket's turn, the
   * socket stays open, because the other instances may be unable to read.
   */
  const closeSockets = async () => {
    isClosing = true
    await close([...connections.all()], (connection) => {
      if (isStale) connection.end(closeCodes.restart, restartReason('Connect again', newRetryHint()))
    })
    isClosing = false
  }
  const check = () => {
    // Timer ticks that arrive late in a burst count as one: no read can succeed between them.
    if (nowMs() - checkedAtMs < CHECK_MS / 2) return
    checkedAtMs = nowMs()
    checks += 1
    const sinceReadMs = nowMs() - readAtMs
    if (!isStale && checks >= STALE_CHECKS && sinceReadMs >= STALE_MS) {
      isStale = true
      ctx.logger.error({ sockets: connections.size }, 'new alerts cannot be read, notifying clients')
      notifyDelay(new Date(ctx.clock.now().getTime() - sinceReadMs).toISOString())
    }
    if (isStale && sinceReadMs >= CLOSE_MS && !isClosing) void closeSockets()
  }
  const stopChecks = scheduler.every(CHECK_MS, check)

  return {
    recordRead() {
      readAtMs = nowMs()
      checks = 0
      if (!isStale) return
      isStale = false
      ctx.logger.info('new alerts can be read again')
      notifyRecovery()
    },
    problem: () => (isStale ? `new alerts could not be read for ${Math.round((nowMs() - readAtMs) / 1_000)} s` : null),
    stop: stopChecks,
  }
}
