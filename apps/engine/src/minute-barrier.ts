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
  let waitingEvents: EngineEvent[] = []
  let clockAt: number | null = null
  let isScheduled = false

  const computeMinuteEnd = (at: number) => at - (at % MINUTE_MS) + MINUTE_MS
  let boundary: number | null = resumedAt === 0 ? null : computeMinuteEnd(resumedAt)
  /**
   * Event time of an event that may have to wait, otherwise null. If an exchange has restarted its
   * trade numbers, the gap event has the time of the first trade with the new numbers.
   */
  const getWaitingTime = (event: EngineEvent): number | null => {
    if (event.type === 'gap') return event.restarted ? event.to - 1 : null
    return event.type === 'tick' ? event.at : null
  }
  const passUntil = (to: number) => {
    boundary = to
    const heldEvents = waitingEvents
    waitingEvents = []
    for (const event of heldEvents) {
      const at = getWaitingTime(event)
      if (at === null || at < to) pass(event)
      else waitingEvents.push(event)
    }
    if (clockAt !== null && clockAt < to) {
      pass({ type: 'clock', at: clockAt })
      clockAt = null
    }
  }
  const release = () => {
    isScheduled = false
    while (boundary !== null && (waitingEvents.length > 0 || clockAt !== null)) {
      if (!isReady(boundary)) return
      const nextAt = waitingEvents.reduce(
        (earliestAt, event) => Math.min(earliestAt, getWaitingTime(event) ?? earliestAt),
        clockAt ?? Number.POSITIVE_INFINITY,
      )
      const minute = computeMinuteEnd(nextAt) - MINUTE_MS
      // After a pause, several minutes end together.
      if (minute > boundary && !isReady(minute)) return
      passUntil(minute + MINUTE_MS)
    }
  }
  /**
   * Releases events later. `isReady` may make a market give up a gap, which must not happen while
   * that market passes on its trades. Most events are pushed at that time.
   */
  const scheduleRelease = () => {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(release)
  }
  return {
    push(event: EngineEvent) {
      if (event.type === 'clock') {
        boundary ??= computeMinuteEnd(event.at)
        if (event.at >= boundary) clockAt = event.at
        else if (clockAt === null) pass(event)
        if (clockAt !== null) scheduleRelease()
        return
      }
      const at = getWaitingTime(event)
      if (at !== null) boundary ??= computeMinuteEnd(at)
      if (at === null || boundary === null || at < boundary) return pass(event)
      if (event.type === 'gap') {
        // The minutes of the gap are incomplete from now on.
        const { restarted: _, ...gap } = event
        pass(gap)
      }
      waitingEvents.push(event)
      scheduleRelease()
    },
    /** Tries again to release events. Callers call it regularly. */
    release,
    waiting: () => waitingEvents.length,
  }
}
