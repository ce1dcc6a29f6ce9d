import { maxWatched } from '@tocsin/protocol'
import { usePreferences, useSavePreferences } from '../../session/preferences.ts'
import { toast } from '../../ui/toast.tsx'

/** The account's watchlist. `toggle` adds an asset or removes it. */
export function useWatchlist() {
  const { preferences, isKnown } = usePreferences()
  const save = useSavePreferences()
  const { watchlist } = preferences
  function toggle(asset: string) {
    if (watchlist.includes(asset)) return save({ watchlist: watchlist.filter((each) => each !== asset) })
    if (watchlist.length < maxWatched) return save({ watchlist: [...watchlist, asset] })
    const description = `It has ${maxWatched} assets. Remove one first.`
    toast({ title: 'Watchlist Full', description, variant: 'destructive' })
  }
  return { watchlist, isKnown, toggle }
}
