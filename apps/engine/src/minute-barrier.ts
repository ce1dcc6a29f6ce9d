import type { EngineEvent } from '@tocsin/engine'
import { MINUTE_MS } from '@tocsin/protocol/durations'

/**
 * Delays the events of the next minute until every market has all trades of the current minute or
 * has reported the missing ones as lost. Events of the current minute are passed on immediately;
 * later events wait in their order. Gaps do not wait, but a restart of trade numbers takes effect
 * only after the waiting trades.
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
      // After a pause, several minutes end together: the markets must be ready for the last one.
      if (minute > boundary && !isReady(minute)) return
      passUntil(minute + MINUTE_MS)
    }
  }
  /**
   * Releases events in a microtask. `isReady` may make a market report a gap as lost, which must
   * not happen while that market is emitting trades, and most calls of `push` come from such a
   * market.
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
        // The newest clock event replaces a waiting one, even by an earlier time.
        clockAt = event.at < boundary ? null : event.at
        if (clockAt === null) pass(event)
        else scheduleRelease()
        return
      }
      const at = getWaitingTime(event)
      if (at !== null) boundary ??= computeMinuteEnd(at)
      if (at === null || boundary === null || at < boundary) return pass(event)
      if (event.type === 'gap') {
        // Report the gap now, because its minutes are incomplete. Only the new numbers wait.
        const { restarted: _, ...gap } = event
        pass(gap)
      }
      waitingEvents.push(event)
      scheduleRelease()
    },
    /** Tries again to release events. Callers call it regularly. */
    release,
  }
}
