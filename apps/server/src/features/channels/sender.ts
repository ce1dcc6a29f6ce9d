import type { DestinationKind } from '@tocsin/protocol'
import { SECOND_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { createBotRate } from './bot-rate.ts'
import { sendNotice } from './notices.ts'
import { createPlaces, type Key, PER_DESTINATION } from './places.ts'
import { createBatches, probe, sendDelivery } from './send-delivery.ts'
import { listDue, listNotices, listProbesDue } from './store.ts'

const RETRY_MS = SECOND_MS

export interface Sender {
  /** Starts deliveries that are due and have a place. */
  startDue(now: Date): Promise<void>
  /** Starts what owners are told about failing destinations, and the hourly probes of those. */
  startNoticesAndProbes(now: Date): Promise<void>
  /** Deliveries that are being sent or recorded. */
  startedIds(): number[]
  /** Time until the bot may send again; 0 if it may now. */
  botWaitMs(): number
  /** Resolves when nothing runs any more. */
  ended(): Promise<void>
}

/**
 * @param onChange called when more can be started
 * @param recording records answers, also after the lease was lost
 */
export function createSender(ctx: Context, onChange: () => void, signal: AbortSignal, recording = ctx): Sender {
  /** Whether a place that becomes free could be used. Otherwise only new and due rows matter. */
  let mayUsePlace = true
  const places = createPlaces(() => {
    if (mayUsePlace) onChange()
  })
  const batches = createBatches(ctx, recording)
  const running = new Set<Promise<void>>()
  const pausedUntilMs = new Map<DestinationKind, number>()
  const bot = createBotRate()

  const start = (key: Key, to: { id: string; host: string }, work: (onAnswer: () => void) => Promise<void>) => {
    const place = places.occupy(key, to)
    if (!place) return
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
  }
  const onPause = (kind: DestinationKind, until: Date) => void pausedUntilMs.set(kind, until.getTime())

  const startedIds = () => places.busy().keys.filter((key) => typeof key === 'number')
  /** Kinds of destinations that cannot get anything now. */
  const stoppedKinds = (now: Date): DestinationKind[] => {
    const kinds = [...pausedUntilMs].flatMap(([kind, untilMs]) => (untilMs > now.getTime() ? [kind] : []))
    return ctx.config.telegram === null || bot.waitMs() > 0 ? [...kinds, 'telegram'] : kinds
  }

  return {
    startedIds,
    botWaitMs: bot.waitMs,
    async startDue(now) {
      mayUsePlace = true
      const free = places.countFree()
      if (free <= 0) return
      const { keys: _, ...full } = places.busy()
      const busy = { kinds: stoppedKinds(now), deliveries: startedIds(), ...full }
      const due = await listDue(ctx.db, now, busy, PER_DESTINATION, free)
      for (const delivery of due) {
        const { id, kind, host, destinationId } = delivery
        if (kind === 'telegram' && bot.waitMs() > 0) continue
        start(id, { id: destinationId, host }, async (onAnswer) => {
          const turn = kind === 'telegram' ? bot.reserve() : null
          const onSend = () => turn?.sent()
          await sendDelivery(ctx, batches, delivery, { onPause, onSend, onAnswer }, signal).finally(() => turn?.end())
        })
      }
      const { destinations, hosts } = places.busy()
      mayUsePlace = due.length >= free || destinations.length > 0 || hosts.length > 0
    },
    async startNoticesAndProbes(now) {
      const kinds = stoppedKinds(now)
      for (const destination of await listNotices(ctx.db, now)) {
        if (kinds.includes(destination.kind) || places.countFree() === 0) continue
        start(`notice ${destination.id}`, destination, () => sendNotice(ctx, destination, signal))
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
