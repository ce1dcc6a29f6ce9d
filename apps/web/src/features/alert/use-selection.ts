import type { AlertSelection } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { useMemo } from 'react'
import { usePreferences } from '../../session/preferences.ts'
import { getMidnight } from '../../ui/format-time.ts'
import { type TimeStyle, useTimeStyle, utcStyle } from '../../ui/time-style.ts'
import { type AlertSearchParams, toSelection } from './alert-search-params.ts'

/**
 * Returns the filters of the list, including the assets of the watchlist if the state selects it.
 * `isPending` is true while the watchlist is needed but not loaded.
 */
export function useSelection(searchParams: AlertSearchParams) {
  const { preferences, isSettled } = usePreferences()
  const { watchlist } = preferences
  const style = useTimeStyle()
  const selection = useMemo(
    () => toZonedSelection(toSelection(searchParams, watchlist), style),
    [searchParams, watchlist, style],
  )
  const isPending = searchParams.watchlist === true && !isSettled
  const isWatchlistEmpty = searchParams.watchlist === true && !isPending && watchlist.length === 0
  return { selection, isPending, isWatchlistEmpty }
}

/** Replaces the days of the selection by times, because the server would interpret days in UTC. */
export function toZonedSelection(selection: AlertSelection, style: TimeStyle): AlertSelection {
  const { from, to } = selection
  if (style.timeZone === utcStyle.timeZone || (from === undefined && to === undefined)) return selection
  const formatIso = (ms: number) => new Date(ms).toISOString()
  const getDayAfter = (day: string) => formatIso(Date.parse(day) + DAY_MS).slice(0, 10)
  return {
    ...selection,
    ...(from === undefined ? {} : { from: formatIso(getMidnight(from, style)) }),
    ...(to === undefined ? {} : { to: formatIso(getMidnight(getDayAfter(to), style) - 1) }),
  }
}
