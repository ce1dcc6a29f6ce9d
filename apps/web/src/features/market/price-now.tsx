import { useCurrentPrice } from './current-price.ts'
import type { VenueMarket } from './issue-price.ts'
import { formatPrice } from './price-texts.ts'

/** The newest price, if there is a source of prices and the price is not old. */
export function PriceNow({ venueMarket, className }: { venueMarket: VenueMarket; className: string }) {
  const currentPrice = useCurrentPrice(venueMarket)
  if (currentPrice.kind !== 'now') return null
  return (
    <span className={className}>
      <span className="sr-only">Price now </span>
      {formatPrice(currentPrice.seen.price)}
    </span>
  )
}
