import type { Activity } from '@tocsin/protocol'
import { startOfDay } from '../../ui/format-time.ts'
import { knownZone } from '../../ui/known-zone.ts'
import { dateLocale } from '../../ui/locale.ts'
import type { TimeStyle } from '../../ui/time-style.ts'

type ActivityDay = { day: string; rows: Activity[] }

/**
 * Groups rows by day in the user's time zone and keeps their order. Days are named "Today",
 * "Yesterday" or, for example, "Saturday, 21 November 2026".
 */
export function groupByDay(rows: readonly Activity[], nowMs: number, style: TimeStyle): ActivityDay[] {
  const format = new Intl.DateTimeFormat(dateLocale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: knownZone(style.timeZone),
  })
  const formatDay = (atMs: number) => format.format(atMs).replace(/^(\w+) /, '$1, ')
  const names = new Map([
    // A day can have 23 or 25 hours, so do not subtract 24 hours from now.
    [formatDay(startOfDay(nowMs, style) - 1), 'Yesterday'],
    [formatDay(nowMs), 'Today'],
  ])
  const days: ActivityDay[] = []
  for (const row of rows) {
    const date = formatDay(Date.parse(row.at))
    const day = names.get(date) ?? date
    const last = days.at(-1)
    if (last?.day === day) last.rows.push(row)
    else days.push({ day, rows: [row] })
  }
  return days
}
