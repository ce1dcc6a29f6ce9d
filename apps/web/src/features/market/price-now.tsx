import { useCurrentPrice } from './current-price.ts'
import type { MarketPlace } from './issue-price.ts'
import { priceWords } from './price-words.ts'

/** The newest price, if there is a source of prices and the price is not old. */
export function PriceNow({ place, className }: { place: MarketPlace; className: string }) {
  const current = useCurrentPrice(place)
  if (current.kind !== 'now') return null
  return (
    <span className={className}>
      <span className="sr-only">Price now </span>
      {priceWords(current.seen.price)}
    </span>
  )
}
