import { formatDayHeading, getStartOfDay } from '../../ui/format-time.ts'
import type { TimeStyle } from '../../ui/time-style.ts'

/**
 * Heading of a day in a list. `index` is the first row of the day. `count` is the number of its
 * rows, or null if more may be loaded.
 */
export interface DayHeading {
  index: number
  text: string
  count: number | null
}

/**
 * Returns the headings of the days in a list, newest first, in the reader's time zone. Converts
 * times only once per day, because a list may have thousands of rows.
 * @param isWhole true if all rows are loaded
 */
export function listDayHeadings(
  createdAt: readonly string[],
  { nowMs, style, isWhole }: { nowMs: number; style: TimeStyle; isWhole: boolean },
): DayHeading[] {
  const headings: DayHeading[] = []
  let fromMs = Number.POSITIVE_INFINITY
  createdAt.forEach((at, index) => {
    const atMs = Date.parse(at)
    // Alerts can be slightly out of order. Only an alert of an earlier day starts a new heading.
    if (atMs >= fromMs) return
    fromMs = getStartOfDay(atMs, style)
    headings.push({ index, text: formatDayHeading(atMs, nowMs, style), count: null })
  })
  return headings.map((head, headIndex) => {
    const next = headings[headIndex + 1]?.index ?? (isWhole ? createdAt.length : null)
    return { ...head, count: next === null ? null : next - head.index }
  })
}
