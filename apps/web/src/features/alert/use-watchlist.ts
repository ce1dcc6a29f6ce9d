import { maxWatched, type Preferences } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { usePreferences, useSavePreferences } from '../../session/preferences.ts'
import { toast } from '../../ui/toast.tsx'

/**
 * The account's watchlist. `toggle` adds an asset or removes it. It does nothing while the
 * watchlist is not loaded.
 */
export function useWatchlist() {
  const { preferences, isKnown } = usePreferences()
  const save = useSavePreferences()
  const { watchlist } = preferences
  function toggle(asset: string) {
    if (!isKnown) return
    const isWatched = watchlist.includes(asset)
    const toggleAsset = (before: Preferences) => {
      const otherAssets = before.watchlist.filter((each) => each !== asset)
      return { watchlist: isWatched ? otherAssets : [...otherAssets, asset] }
    }
    // Change the saved watchlist, because another tab or device may have changed it since this tab
    // loaded it.
    const sendToggle = async () => call('savePreferences', { body: toggleAsset(await call('findPreferences')) })
    if (isWatched || watchlist.length < maxWatched) return save(toggleAsset(preferences), sendToggle)
    const description = `Your watchlist has ${maxWatched} assets, the maximum. Remove an asset first.`
    toast({ title: 'Watchlist Full', description, variant: 'destructive' })
  }
  return { watchlist, isKnown, toggle }
}
