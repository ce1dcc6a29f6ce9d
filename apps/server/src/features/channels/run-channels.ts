import { DAY_MS, HOUR_MS, SECOND_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { TOO_OLD } from './decide-destination.ts'
import { MAX_AGES_MS } from './destination.ts'
import { startDigests } from './digest.ts'
import { fillWithAnchored } from './fill-anchored.ts'
import { fillLedger } from './fill-ledger.ts'
import { holdTooOld } from './held-store.ts'
import { createSender } from './sender.ts'
import { deleteLedgerBefore, hasDestinations } from './store.ts'
import { runTelegramBot } from './telegram-bot.ts'

/** Retries that become due are found by polling; new alerts wake the loop. */
const POLL_MS = SECOND_MS
/** Without destinations nothing becomes due. A new one wakes the loop. */
const IDLE_POLL_MS = 5 * SECOND_MS
/**
 * The live stream shares this process. Its subscribers wait for milliseconds, so it goes first.
 */
const HEAD_START_MS = 75
const KEPT_MS = 30 * DAY_MS

/** Fills the ledger and sends what is due, until the signal aborts. One instance runs it. */
export async function runChannels(ctx: Context, signal: AbortSignal): Promise<void> {
  let wake = () => {}
  let isWoken = false
  const rouse = () => {
    isWoken = true
    wake()
  }
  let heardAtMs = Number.NEGATIVE_INFINITY
  let filledAtMs = Number.NEGATIVE_INFINITY
  const hearAlert = () => {
    heardAtMs = performance.now()
    rouse()
  }
  let mayBeAnchored = true
  const hearAnchor = () => {
    mayBeAnchored = true
    rouse()
  }
  /** Notifications can be lost, so it is also filled now and then. */
  const fill = async () => {
    const nowMs = performance.now()
    const isDue = nowMs - filledAtMs >= POLL_MS
    if (filledAtMs > heardAtMs && !mayBeAnchored && !isDue) return
    const fillNow = mayBeAnchored || isDue ? fillWithAnchored : fillLedger
    mayBeAnchored = false
    await fillNow(ctx)
    filledAtMs = nowMs
  }
  const sender = createSender(ctx, rouse, signal)

  let cleanedAtMs = Number.NEGATIVE_INFINITY
  const clean = async () => {
    const nowMs = ctx.clock.now().getTime()
    if (nowMs - cleanedAtMs < HOUR_MS) return
    cleanedAtMs = nowMs
    await deleteLedgerBefore(ctx.db, new Date(nowMs - KEPT_MS))
  }

  const stops = [
    ctx.wake.on('deliveries', hearAlert),
    ctx.wake.on('anchors', hearAnchor),
    ctx.wake.on('channels', rouse),
  ]
  signal.addEventListener('abort', rouse)
  const bot = runTelegramBot(ctx, signal)
  try {
    while (!signal.aborted) {
      const headStartMs = heardAtMs + HEAD_START_MS - performance.now()
      if (headStartMs > 0) await pause(headStartMs, signal)
      isWoken = false
      await fill()
      const now = ctx.clock.now()
      await holdTooOld(ctx.db, { now, reason: TOO_OLD, exceptIds: sender.startedIds(), limitsMs: MAX_AGES_MS })
      await startDigests(ctx, now)
      await sender.startDue(now)
      await clean()
      const pollMs = (await hasDestinations(ctx.db)) ? POLL_MS : IDLE_POLL_MS
      if (isWoken) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(pollMs, sender.botWaitMs() || pollMs))
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    for (const stop of stops) stop()
    signal.removeEventListener('abort', rouse)
    await Promise.all([sender.ended(), bot])
  }
}
