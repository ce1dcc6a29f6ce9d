import { maxWatched } from '@tocsin/protocol'
import { Star } from 'lucide-react'
import { usePreferences, useSavePreferences } from '../../session/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'

type WatchButtonProps = {
  asset: string
  /** An icon, for headers. */
  isIcon?: boolean
}

/** Adds the asset to the account's watchlist or removes it. Disabled until the list is known. */
export function WatchButton({ asset, isIcon = false }: WatchButtonProps) {
  const { preferences, isKnown } = usePreferences()
  const save = useSavePreferences()
  const { watchlist } = preferences
  const isWatched = watchlist.includes(asset)
  function toggle() {
    if (isWatched) return save({ watchlist: watchlist.filter((each) => each !== asset) })
    if (watchlist.length < maxWatched) return save({ watchlist: [...watchlist, asset] })
    const description = `It has ${maxWatched} assets. Remove one first.`
    toast({ title: 'Watchlist Full', description, variant: 'destructive' })
  }
  return (
    <Button
      size="sm"
      variant={isIcon ? 'ghost' : 'secondary'}
      data-keys="w"
      disabled={!isKnown}
      aria-label={`Watch ${asset}`}
      aria-pressed={isWatched}
      title={`${isWatched ? 'Stop watching' : 'Watch'} ${asset} (w)`}
      onClick={toggle}
    >
      <Star aria-hidden size={16} strokeWidth={2.25} className={isWatched ? 'fill-current text-signal' : undefined} />
      {!isIcon && 'Watch'}
    </Button>
  )
}
