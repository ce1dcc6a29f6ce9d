import { dayWords, startOfDay } from '../../ui/format-time.ts'
import type { TimeStyle } from '../../ui/time-style.ts'

/** A day of a list: its first row and the number of its rows, null if more may be loaded. */
export interface DayHead {
  index: number
  words: string
  count: number | null
}

/**
 * The days of a list in the reader's zone, newest first. Reads the zone once per day, because a
 * list may have thousands of rows.
 * @param isWhole all rows are loaded
 */
export function dayHeads(
  createdAt: readonly string[],
  { nowMs, style, isWhole }: { nowMs: number; style: TimeStyle; isWhole: boolean },
): DayHead[] {
  const heads: DayHead[] = []
  let fromMs = Number.POSITIVE_INFINITY
  createdAt.forEach((at, index) => {
    const atMs = Date.parse(at)
    // Alerts can be slightly out of order, so only an earlier day starts a new heading.
    if (atMs >= fromMs) return
    fromMs = startOfDay(atMs, style)
    heads.push({ index, words: dayWords(atMs, nowMs, style), count: null })
  })
  return heads.map((head, place) => {
    const next = heads[place + 1]?.index ?? (isWhole ? createdAt.length : null)
    return { ...head, count: next === null ? null : next - head.index }
  })
}
