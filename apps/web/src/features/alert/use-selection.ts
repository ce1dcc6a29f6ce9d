import { useMemo } from 'react'
import { usePreferences } from '../../session/preferences.ts'
import { type AlertPlace, selectionOf } from './alert-place.ts'

/**
 * The filters of the list, with the assets of the watchlist if the place asks for it. `isPending`:
 * the watchlist is needed and not loaded.
 */
export function useSelection(place: AlertPlace) {
  const { preferences, isSettled } = usePreferences()
  const { watchlist } = preferences
  const selection = useMemo(() => selectionOf(place, watchlist), [place, watchlist])
  const isPending = place.watchlist === true && !isSettled
  const isWatchlistEmpty = place.watchlist === true && !isPending && watchlist.length === 0
  return { selection, isPending, isWatchlistEmpty }
}
