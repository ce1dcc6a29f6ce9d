import { DAY_MS, HOUR_MS, SECOND_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { pause } from '../../pause.ts'
import { createChannelPause } from './channel-pause.ts'
import { TOO_OLD_REASON } from './decide-destination.ts'
import { MAX_AGES_MS, MAX_RETRY_DURATION_MS } from './destination.ts'
import { startDigests } from './digest.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'
import { enqueueDeliveriesWithAnchors } from './enqueue-deliveries-with-anchors.ts'
import { holdOldDeliveries } from './held-store.ts'
import { prepareSending } from './http-sender.ts'
import { createSender, type Sender } from './sender.ts'
import { deleteLedgerBefore, skipForFailing, skipWithoutDestinations } from './store.ts'
import { runTelegramBot } from './telegram-bot.ts'

/** Interval of polling for retries that have become due. New alerts wake the loop earlier. */
const POLL_MS = SECOND_MS
/**
 * Minimum time between the starts of two passes, so that deliveries that become possible in between
 * share queries.
 */
const MIN_PASS_INTERVAL_MS = 15
/**
 * Polling interval while there are no destinations. Then nothing becomes due and alerts do not wake
 * the loop, but a new destination does.
 */
const IDLE_POLL_MS = 5 * SECOND_MS
/** Maximum number of rows deleted in one pass, because new alerts wait for its end. */
const MAX_DELETED = 5_000

/**
 * Enqueues deliveries and sends those that are due, until the signal aborts. Only one instance
 * runs this.
 * @param recordingContext context whose database records results, even after the lease was lost
 */
export async function runChannels(ctx: Context, signal: AbortSignal, recordingContext = ctx): Promise<void> {
  let wakeUp = () => {}
  let isWoken = false
  const wakeLoop = () => {
    isWoken = true
    wakeUp()
  }
  let isIdle = false
  let notifiedAtMs = Number.NEGATIVE_INFINITY
  let enqueuedAtMs = Number.NEGATIVE_INFINITY
  let passStartedAtMs = Number.NEGATIVE_INFINITY
  let mayBeAnchored = true
  let mayBeDue = true
  const channelPause = createChannelPause(ctx, signal)
  const isTickDue = createDueCheck(POLL_MS)
  const stops = [
    ctx.notifications.on('deliveries', () => {
      if (isIdle) return
      notifiedAtMs = performance.now()
      channelPause.begin()
      wakeLoop()
    }),
    ctx.notifications.on('anchors', () => {
      if (isIdle) return
      mayBeAnchored = true
      wakeLoop()
    }),
    ctx.notifications.on('channels', () => {
      mayBeDue = true
      wakeLoop()
    }),
  ]
  signal.addEventListener('abort', wakeLoop)
  const sender = createSender(ctx, wakeLoop, signal, { recordingContext, channelPause })
  const stopBot = new AbortController()
  const bot = runTelegramBot(ctx, AbortSignal.any([signal, stopBot.signal]))
  const runDue = createDueWork(ctx, sender)

  /**
   * Enqueues deliveries after a notification and also regularly, because notifications can be lost.
   * @returns false if deliveries were not read, so nothing was enqueued
   */
  const enqueue = async (isDue: boolean) => {
    if (enqueuedAtMs > notifiedAtMs && !mayBeAnchored && !isDue) return false
    const nowMs = performance.now()
    const onRows = () => sender.startDue(ctx.clock.now())
    const isWithAnchors = mayBeAnchored || isDue
    mayBeAnchored = false
    if (!isWithAnchors) await enqueueDeliveries(ctx, onRows)
    else if (await enqueueDeliveriesWithAnchors(ctx, onRows)) mayBeAnchored = true
    enqueuedAtMs = nowMs
    return true
  }
  try {
    while (!signal.aborted) {
      const remainingMs = passStartedAtMs + MIN_PASS_INTERVAL_MS - performance.now()
      if (remainingMs > 0) await pause(remainingMs, signal)
      await channelPause.waitForEnd()
      isWoken = false
      passStartedAtMs = performance.now()
      const isDue = isTickDue(ctx.clock.now()) || mayBeDue
      mayBeDue = false
      if (isDue) isIdle = await skipWithoutDestinations(ctx.db)
      if (!isIdle) {
        prepareSending()
        const mayHaveEnqueued = await enqueue(isDue)
        const now = ctx.clock.now()
        // Enqueuing takes time, so check the clock again: alerts that have become too old must not
        // be sent.
        if (isTickDue(now) || isDue) mayBeDue = (await runDue(now)) || mayBeDue
        await sender.startDue(now, mayHaveEnqueued)
      }
      if (isWoken || mayBeDue || (mayBeAnchored && !isIdle)) continue
      const pollMs = isIdle ? IDLE_POLL_MS : POLL_MS
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(pollMs, sender.botWaitMs() || pollMs))
        wakeUp = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    for (const stop of stops) stop()
    signal.removeEventListener('abort', wakeLoop)
    stopBot.abort()
    await Promise.all([sender.ended(), bot])
  }
}

/**
 * Creates a function for the work that becomes due by time or by changes of owners, not by new
 * alerts or responses: digests, tests, notices, probes and clean-up. The function resolves to true
 * if digests are left for the next pass: one pass is limited, so that new alerts do not wait for
 * all of them.
 */
export function createDueWork(ctx: Context, sender: Sender): (now: Date) => Promise<boolean> {
  const cleanUp = createCleanUp(ctx, sender)
  return async (now) => {
    sender.forgetRows()
    await sender.unmarkUnsent()
    await holdOldDeliveries(ctx.db, {
      now,
      reason: TOO_OLD_REASON,
      exceptIds: sender.startedIds(),
      limitsMs: MAX_AGES_MS,
    })
    const isWorkLeft = await startDigests(ctx, now)
    await sender.startOtherMessages(now)
    await cleanUp(now)
    return isWorkLeft
  }
}

/**
 * Returns a function that is true if at least `everyMs` has passed since it was last true, by the
 * wall clock or by the monotonic clock of this process.
 */
function createDueCheck(everyMs: number): (now: Date) => boolean {
  let lastDue = { wallMs: Number.NEGATIVE_INFINITY, monotonicMs: Number.NEGATIVE_INFINITY }
  return (now) => {
    const time = { wallMs: now.getTime(), monotonicMs: performance.now() }
    const isDue = Math.max(Math.abs(time.wallMs - lastDue.wallMs), time.monotonicMs - lastDue.monotonicMs) >= everyMs
    if (isDue) lastDue = time
    return isDue
  }
}

function createCleanUp(ctx: Context, sender: Sender): (now: Date) => Promise<void> {
  let cleanedAtMs = Number.NEGATIVE_INFINITY
  return async (now) => {
    if (now.getTime() - cleanedAtMs < HOUR_MS) return
    await skipForFailing(ctx.db, new Date(now.getTime() - MAX_RETRY_DURATION_MS), now, sender.startedIds())
    const cutoff = new Date(now.getTime() - ctx.config.deliveriesDays * DAY_MS)
    const deletedCount = await deleteLedgerBefore(ctx.db, cutoff, MAX_DELETED)
    if (deletedCount < MAX_DELETED) cleanedAtMs = now.getTime()
  }
}
