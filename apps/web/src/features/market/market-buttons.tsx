import type { Alert } from '@tocsin/protocol'
import { ExternalLink } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { marketLinks } from '../alert/market-links.ts'
import { type MarketPlace, useMarketPlace } from './issue-price.ts'

/** Buttons for the market of an alert: that of its prediction, or of the price that it signs. */
export function AlertMarketButtons({ alert }: { alert: Alert }) {
  const place = useMarketPlace(alert)
  return place && <MarketButtons place={place} />
}

/** Links to the market at its exchange and at TradingView, if the venue is known. */
export function MarketButtons({ place }: { place: MarketPlace }) {
  const links = marketLinks(place)
  if (!links) return null
  return (
    <>
      <Button size="sm" asChild>
        <a href={links.exchange} target="_blank" rel="noreferrer" data-keys="o" title={`Open on ${links.name} (o)`}>
          <ExternalLink aria-hidden size={16} strokeWidth={2.25} />
          Open on {links.name}
        </a>
      </Button>
      <Button size="sm" asChild>
        <a href={links.tradingView} target="_blank" rel="noreferrer">
          TradingView
        </a>
      </Button>
    </>
  )
}
