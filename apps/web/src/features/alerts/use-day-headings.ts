import type { ListedAlert } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { useMemo } from 'react'
import { useNow } from '../../ui/now.ts'
import { useTimeStyle } from '../../ui/time-style.ts'
import { formatAlertCount } from './count-texts.ts'
import { type DayHeading, listDayHeadings } from './day-headings.ts'

/** Returns the headings of the days in a list. @param isWhole true if all rows are loaded */
export function useDayHeadings(entries: readonly ListedAlert[], isWhole: boolean): DayHeading[] {
  const style = useTimeStyle()
  const nowMs = useNow((ms) => Math.floor(ms / MINUTE_MS) * MINUTE_MS)
  return useMemo(
    () =>
      listDayHeadings(
        entries.map(({ alert }) => alert.createdAt),
        { nowMs, style, isWhole },
      ),
    [entries, nowMs, style, isWhole],
  )
}

/** Formats a heading: "Today, 21 November · 12 alerts". Omits the number if it is unknown. */
export const formatDayLabel = ({ text, count }: DayHeading) =>
  count === null ? text : `${text} · ${formatAlertCount({ count, isMore: false })}`
