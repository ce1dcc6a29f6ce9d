import type { StreamState } from '@tocsin/client'
import { DAY_MS } from '@tocsin/protocol/durations'
import { useSyncExternalStore } from 'react'
import { Observable } from '../browser/observable.ts'
import { readStoredRecords, store } from '../browser/stored-json.ts'

const storageKey = 'streamGaps'

/**
 * A period in which the page needed the stream but had no connection (ISO times). `to` is null
 * while the period lasts.
 */
export type StreamGap = { from: string; to: string | null }

export type StreamStatus = {
  state: StreamState
  /** ISO time of the last message of any kind. */
  lastMessageAt: string | null
  /** Whether this page currently needs a stream. */
  isNeeded: boolean
  gaps: readonly StreamGap[]
}

/** Connection state of the alert stream. Gaps of the last 24 h are kept in local storage. */
class StreamStatusStore extends Observable {
  #status: StreamStatus = { state: 'offline', lastMessageAt: null, isNeeded: false, gaps: readGaps() }

  snapshot = (): StreamStatus => this.#status

  recordMessage(at: string): void {
    this.#set({ lastMessageAt: at })
  }

  setState(state: StreamState, isNeeded: boolean, at: string): void {
    const gaps = updateGaps(this.#status, { state, isNeeded }, at)
    if (gaps !== this.#status.gaps) writeGaps(gaps)
    // Clear the time of the last message when the stream ends, so that it is not used for the next
    // stream.
    this.#set({ state, isNeeded, gaps, ...(isNeeded ? {} : { lastMessageAt: null }) })
  }

  #set(change: Partial<StreamStatus>): void {
    this.#status = { ...this.#status, ...change }
    this.notify()
  }
}

export const streamStatus = new StreamStatusStore()

export function useStreamStatus(): StreamStatus {
  return useSyncExternalStore(streamStatus.subscribe, streamStatus.snapshot)
}

/**
 * Opens a gap when a live stream is lost. Closes it when the stream is live again, or when
 * `isNeeded` is false. Drops gaps older than a day.
 */
export function updateGaps(
  previousStatus: StreamStatus,
  nextStatus: Pick<StreamStatus, 'state' | 'isNeeded'>,
  at: string,
): readonly StreamGap[] {
  const hasOpenGap = previousStatus.gaps.some((gap) => gap.to === null)
  const isLost = nextStatus.isNeeded && nextStatus.state !== 'live'
  if (!hasOpenGap && previousStatus.state === 'live' && isLost) {
    const oldestMs = Date.parse(at) - DAY_MS
    return [
      ...previousStatus.gaps.filter((gap) => gap.to === null || Date.parse(gap.to) > oldestMs),
      { from: at, to: null },
    ]
  }
  if (hasOpenGap && !isLost) return previousStatus.gaps.map((gap) => (gap.to === null ? { ...gap, to: at } : gap))
  return previousStatus.gaps
}

/** Total duration of the gaps within the last 24 h. */
export function computeOfflineMs(gaps: readonly StreamGap[], nowMs: number): number {
  return gaps.reduce((total, { from, to }) => {
    const end = to === null ? nowMs : Date.parse(to)
    return total + Math.max(0, end - Math.max(Date.parse(from), nowMs - DAY_MS))
  }, 0)
}

function readGaps(): readonly StreamGap[] {
  const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))
  return readStoredRecords(storageKey).flatMap(({ from, to }) => (isTime(from) && isTime(to) ? [{ from, to }] : []))
}

function writeGaps(gaps: readonly StreamGap[]): void {
  store(
    storageKey,
    gaps.filter((gap) => gap.to !== null),
  )
}
