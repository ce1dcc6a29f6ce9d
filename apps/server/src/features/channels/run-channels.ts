import type { DestinationKind } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { fillLedger } from './fill-ledger.ts'
import { type OnPause, probe, sendDelivery } from './send-delivery.ts'
import { deleteLedgerBefore, listDue, listProbesDue } from './store.ts'
import { runTelegramBot } from './telegram-bot.ts'

const PER_DESTINATION = 2
const MOST_REQUESTS = 64
/** Requests that take longer move to a pool of their own, so that others get their places. */
const SLOW_AFTER_MS = 1_500
const MOST_SLOW = 512
/** Retries that become due are found by polling; new alerts wake the loop. */
const POLL_MS = 1_000
const RETRY_MS = 1_000
/** Telegram allows about 30 messages a second to a bot. */
const BOT_PER_SECOND = 30
const KEPT_MS = 30 * DAY_MS

interface Request {
  destinationId: string
  isSlow: boolean
}

/** Fills the ledger and sends what is due, until the signal aborts. One instance runs it. */
export async function runChannels(ctx: Context, signal: AbortSignal): Promise<void> {
  const running = new Map<number | string, Request>()
  const ended = new Set<Promise<void>>()
  const pausedUntilMs = new Map<DestinationKind, number>()
  const onPause: OnPause = (kind, until) => pausedUntilMs.set(kind, until.getTime())
  /** Times of the last messages to Telegram, by a clock that is never set. */
  let sentByBot: number[] = []
  let wake = () => {}
  let isWoken = false
  const rouse = () => {
    isWoken = true
    wake()
  }

  const start = (key: number | string, destinationId: string, work: () => Promise<void>) => {
    const request: Request = { destinationId, isSlow: false }
    running.set(key, request)
    const timer = setTimeout(() => {
      request.isSlow = countOf(true) < MOST_SLOW
      rouse()
    }, SLOW_AFTER_MS)
    const end = work()
      .catch((error: unknown) => {
        ctx.logger.error({ err: error, destinationId }, 'sending to a destination failed, trying again')
        return pause(RETRY_MS, signal)
      })
      .finally(() => {
        clearTimeout(timer)
        running.delete(key)
        ended.delete(end)
        rouse()
      })
    ended.add(end)
  }
  const countOf = (isSlow: boolean) => [...running.values()].filter((request) => request.isSlow === isSlow).length
  const countAt = (id: string) => [...running.values()].filter(({ destinationId }) => destinationId === id).length

  const startDue = async () => {
    const free = MOST_REQUESTS - countOf(false)
    if (free <= 0) return
    const now = ctx.clock.now()
    const used = [...new Set([...running.values()].map(({ destinationId }) => destinationId))]
    sentByBot = sentByBot.filter((atMs) => performance.now() - atMs < 1_000)
    const kinds = [...pausedUntilMs].flatMap(([kind, untilMs]) => (untilMs > now.getTime() ? [kind] : []))
    if (ctx.config.telegram === null || sentByBot.length >= BOT_PER_SECOND) kinds.push('telegram')
    const busy = {
      kinds,
      deliveries: [...running.keys()].filter((key) => typeof key === 'number'),
      destinations: used.filter((id) => countAt(id) >= PER_DESTINATION),
    }
    for (const delivery of await listDue(ctx.db, now, busy, PER_DESTINATION, free)) {
      if (countAt(delivery.destinationId) >= PER_DESTINATION) continue
      if (delivery.kind === 'telegram') {
        if (sentByBot.length >= BOT_PER_SECOND) continue
        sentByBot.push(performance.now())
      }
      start(delivery.id, delivery.destinationId, () => sendDelivery(ctx, delivery, onPause, signal))
    }
    for (const destination of await listProbesDue(ctx.db, now, kinds)) {
      if (!running.has(destination.id) && countOf(false) < MOST_REQUESTS) {
        start(destination.id, destination.id, () => probe(ctx, destination, signal))
      }
    }
  }

  let cleanedAtMs = Number.NEGATIVE_INFINITY
  const clean = async () => {
    const nowMs = ctx.clock.now().getTime()
    if (nowMs - cleanedAtMs < HOUR_MS) return
    cleanedAtMs = nowMs
    await deleteLedgerBefore(ctx.db, new Date(nowMs - KEPT_MS))
  }

  const stops = [ctx.wake.on('deliveries', rouse), ctx.wake.on('channels', rouse)]
  signal.addEventListener('abort', rouse)
  const bot = runTelegramBot(ctx, signal)
  try {
    while (!signal.aborted) {
      isWoken = false
      await fillLedger(ctx)
      await startDue()
      await clean()
      if (isWoken) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    for (const stop of stops) stop()
    signal.removeEventListener('abort', rouse)
    await Promise.all([...ended, bot])
  }
}
