import type { Activity } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { knownZone } from '../../ui/known-zone.ts'
import { dateLocale } from '../../ui/locale.ts'
import type { TimeStyle } from '../../ui/time-style.ts'

type ActivityDay = { day: string; rows: Activity[] }

/**
 * Groups rows by day in the user's time zone and keeps their order. Days are named "Today",
 * "Yesterday" or, for example, "Saturday, 21 November 2026".
 */
export function groupByDay(
  rows: readonly Activity[],
  nowMs: number,
  { timeZone }: Pick<TimeStyle, 'timeZone'>,
): ActivityDay[] {
  const format = new Intl.DateTimeFormat(dateLocale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: knownZone(timeZone),
  })
  const formatDay = (atMs: number) => format.format(atMs).replace(/^(\w+) /, '$1, ')
  const names = new Map([
    [formatDay(nowMs - DAY_MS), 'Yesterday'],
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
