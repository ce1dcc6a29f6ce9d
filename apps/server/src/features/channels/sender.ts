import type { DestinationKind } from '@tocsin/protocol'
import { SECOND_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { createPlaces, type Key, PER_DESTINATION } from './places.ts'
import { createBatches, probe, sendDelivery } from './send-delivery.ts'
import { listDue, listProbesDue } from './store.ts'

const RETRY_MS = SECOND_MS
/** Telegram allows about 30 messages a second to a bot. */
const BOT_PER_SECOND = 30

export interface Sender {
  /** Starts what is due and has a place. */
  startDue(): Promise<void>
  /** Time until the bot may send again; 0 if it may now. */
  botWaitMs(): number
  /** Resolves when nothing runs any more. */
  ended(): Promise<void>
}

/** @param onChange called when more can be started */
export function createSender(ctx: Context, onChange: () => void, signal: AbortSignal): Sender {
  const places = createPlaces(onChange)
  const batches = createBatches(ctx)
  const running = new Set<Promise<void>>()
  const pausedUntilMs = new Map<DestinationKind, number>()
  /** Times of the last messages to Telegram, by a clock that is never set. */
  let sentByBot: number[] = []

  const start = (key: Key, to: { id: string; host: string }, work: (onAnswer: () => void) => Promise<void>) => {
    const place = places.occupy(key, to)
    if (!place) return false
    const end = work(place.answered)
      .catch((error: unknown) => {
        ctx.logger.error({ err: error, destinationId: to.id }, 'sending to a destination failed, trying again')
        return pause(RETRY_MS, signal)
      })
      .finally(() => {
        running.delete(end)
        place.release()
      })
    running.add(end)
    return true
  }
  const botWaitMs = () => {
    const nowMs = performance.now()
    sentByBot = sentByBot.filter((atMs) => nowMs - atMs < SECOND_MS)
    const oldest = sentByBot.at(-BOT_PER_SECOND)
    return oldest === undefined ? 0 : oldest + SECOND_MS - nowMs
  }
  const onPause = (kind: DestinationKind, until: Date) => void pausedUntilMs.set(kind, until.getTime())

  return {
    botWaitMs,
    async startDue() {
      const free = places.countFree()
      if (free <= 0) return
      const now = ctx.clock.now()
      const kinds = [...pausedUntilMs].flatMap(([kind, untilMs]) => (untilMs > now.getTime() ? [kind] : []))
      if (ctx.config.telegram === null || botWaitMs() > 0) kinds.push('telegram')
      const { keys, ...full } = places.busy()
      const busy = { kinds, deliveries: keys.filter((key) => typeof key === 'number'), ...full }
      for (const delivery of await listDue(ctx.db, now, busy, PER_DESTINATION, free)) {
        const { id, kind, host, destinationId } = delivery
        if (kind === 'telegram' && botWaitMs() > 0) continue
        const isStarted = start(id, { id: destinationId, host }, (onAnswer) =>
          sendDelivery(ctx, batches, delivery, { onPause, onAnswer }, signal),
        )
        if (isStarted && kind === 'telegram') sentByBot.push(performance.now())
      }
      for (const destination of await listProbesDue(ctx.db, now, kinds)) {
        if (places.countFree() > 0) start(destination.id, destination, () => probe(ctx, destination, signal))
      }
    },
    async ended() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
