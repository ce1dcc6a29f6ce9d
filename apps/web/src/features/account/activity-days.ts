import type { Activity } from '@tocsin/protocol'
import { getStartOfDay } from '../../ui/format-time.ts'
import { resolveTimeZone } from '../../ui/known-zone.ts'
import { dateLocale } from '../../ui/locale.ts'
import type { TimeStyle } from '../../ui/time-style.ts'

type ActivityDay = { day: string; rows: Activity[] }

/**
 * Groups rows by day in the user's time zone and keeps their order. Days are named "Today",
 * "Yesterday" or, for example, "Saturday, 21 November 2026".
 */
export function groupByDay(rows: readonly Activity[], nowMs: number, style: TimeStyle): ActivityDay[] {
  const dateFormat = new Intl.DateTimeFormat(dateLocale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: resolveTimeZone(style.timeZone),
  })
  const formatDay = (atMs: number) => dateFormat.format(atMs).replace(/^(\w+) /, '$1, ')
  const relativeDayNames = new Map([
    // A day can have 23 or 25 hours, so do not subtract 24 hours from now.
    [formatDay(getStartOfDay(nowMs, style) - 1), 'Yesterday'],
    [formatDay(nowMs), 'Today'],
  ])
  const days: ActivityDay[] = []
  for (const row of rows) {
    const date = formatDay(Date.parse(row.at))
    const day = relativeDayNames.get(date) ?? date
    const lastDay = days.at(-1)
    if (lastDay?.day === day) lastDay.rows.push(row)
    else days.push({ day, rows: [row] })
  }
  return days
}
