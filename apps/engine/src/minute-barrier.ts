import type { EngineEvent } from '@tocsin/engine'
import { MINUTE_MS } from '@tocsin/protocol/durations'

/**
 * Holds event time at the end of a minute until no market may still lack trades of that minute.
 * Events of the minute are passed on immediately; later events wait in their order. Gaps do not
 * wait, but new trade numbers begin only after the trades that wait.
 */
export function createMinuteBarrier({
  pass,
  isReady,
  resumedAt = 0,
}: {
  pass(event: EngineEvent): void
  /** Returns true if all markets are complete up to this time, or their loss has been reported. */
  isReady(boundary: number): boolean
  /** Event time of the state from which the engine continues; 0 if no state was saved. */
  resumedAt?: number
}) {
  let waiting: EngineEvent[] = []
  let clock: number | null = null
  let isScheduled = false

  const endOfMinute = (at: number) => at - (at % MINUTE_MS) + MINUTE_MS
  let boundary: number | null = resumedAt === 0 ? null : endOfMinute(resumedAt)
  /**
   * Event time of an event that may have to wait, otherwise null. If an exchange has restarted its
   * trade numbers, the gap event has the time of the first trade with the new numbers.
   */
  const getWaitingTime = (event: EngineEvent): number | null => {
    if (event.type === 'gap') return event.restarted ? event.to - 1 : null
    return event.type === 'tick' ? event.at : null
  }
  const open = (to: number) => {
    boundary = to
    const held = waiting
    waiting = []
    for (const event of held) {
      const at = getWaitingTime(event)
      if (at === null || at < to) pass(event)
      else waiting.push(event)
    }
    if (clock !== null && clock < to) {
      pass({ type: 'clock', at: clock })
      clock = null
    }
  }
  const release = () => {
    isScheduled = false
    while (boundary !== null && (waiting.length > 0 || clock !== null)) {
      if (!isReady(boundary)) return
      const next = waiting.reduce(
        (least, event) => Math.min(least, getWaitingTime(event) ?? least),
        clock ?? Number.POSITIVE_INFINITY,
      )
      const minute = endOfMinute(next) - MINUTE_MS
      // After a pause, several minutes end together.
      if (minute > boundary && !isReady(minute)) return
      open(minute + MINUTE_MS)
    }
  }
  /**
   * Releases events later. `isReady` may make a market give up a gap, which must not happen while
   * that market passes on its trades. Most events are pushed at that time.
   */
  const releaseLater = () => {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(release)
  }
  return {
    push(event: EngineEvent) {
      if (event.type === 'clock') {
        boundary ??= endOfMinute(event.at)
        if (event.at >= boundary) clock = event.at
        else if (clock === null) pass(event)
        if (clock !== null) releaseLater()
        return
      }
      const at = getWaitingTime(event)
      if (at !== null) boundary ??= endOfMinute(at)
      if (at === null || boundary === null || at < boundary) return pass(event)
      if (event.type === 'gap') {
        // The minutes of the gap are incomplete from now on.
        const { restarted: _, ...gap } = event
        pass(gap)
      }
      waiting.push(event)
      releaseLater()
    },
    /** Tries again to release events. Callers call it regularly. */
    release,
    waiting: () => waiting.length,
  }
}
