import { Star } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { useWatchlist } from './use-watchlist.ts'

type WatchButtonProps = {
  asset: string
  /** Shows an icon instead of the label, for headers. */
  isIcon?: boolean
}

/**
 * Button that adds the asset to the account's watchlist or removes it. Disabled until the watchlist
 * is loaded.
 */
export function WatchButton({ asset, isIcon = false }: WatchButtonProps) {
  const { watchlist, isKnown, toggle } = useWatchlist()
  const isWatched = watchlist.includes(asset)
  return (
    <Button
      size="sm"
      variant={isIcon ? 'ghost' : 'secondary'}
      data-keys="w"
      disabled={!isKnown}
      aria-label={`Watch ${asset}`}
      aria-pressed={isWatched}
      title={`${isWatched ? 'Stop watching' : 'Watch'} ${asset} (w)`}
      onClick={() => toggle(asset)}
    >
      <Star aria-hidden size={16} strokeWidth={2.25} className={isWatched ? 'fill-current text-signal' : undefined} />
      {!isIcon && 'Watch'}
    </Button>
  )
}
