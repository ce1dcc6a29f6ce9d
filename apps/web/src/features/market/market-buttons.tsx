import { useQuery } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { ExternalLink } from 'lucide-react'
import { queries } from '../../api/queries.ts'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { KeyHint } from '../alert/key-hint.tsx'
import { createMarketLinks } from '../alert/market-links.ts'
import { useVenueMarket, type VenueMarket } from './issue-price.ts'

/**
 * Buttons for the market of an alert: the market of its prediction, or else of its signed price.
 * For subscribers, the first button is the primary button of the page. For other users, "Subscribe"
 * is the primary button.
 */
export function AlertMarketButtons({ alert }: { alert: Alert }) {
  const venueMarket = useVenueMarket(alert)
  const hasPlan = useHasPlan()
  return venueMarket && <MarketButtons venueMarket={venueMarket} isPrimary={hasPlan} />
}

/** The market of an alert at its exchange, as a link that only a keyboard shortcut opens. */
export function MarketShortcutLink({ alert }: { alert: Alert }) {
  const venueMarket = useVenueMarket(alert)
  const links = venueMarket && createMarketLinks(venueMarket)
  return (
    links && (
      <a href={links.exchange} target="_blank" rel="noreferrer" data-keys="o">
        {links.name}
      </a>
    )
  )
}

/**
 * Returns whether the user has a subscription. False without a session, for example when stored
 * alerts are read offline.
 */
function useHasPlan(): boolean {
  const { user } = useAuth()
  const { data } = useQuery({ ...queries.activeSubscription(user?.id ?? ''), enabled: user !== null })
  return Boolean(data)
}

/** Links to the market at its exchange and at TradingView, if the venue is known. */
export function MarketButtons({ venueMarket, isPrimary = false }: { venueMarket: VenueMarket; isPrimary?: boolean }) {
  const links = createMarketLinks(venueMarket)
  if (!links) return null
  return (
    <>
      <Button size="sm" variant={isPrimary ? 'primary' : 'secondary'} asChild>
        <a href={links.exchange} target="_blank" rel="noreferrer" data-keys="o" title={`Open on ${links.name} (o)`}>
          <ExternalLink aria-hidden size={16} strokeWidth={2.25} />
          Open on {links.name}
          <KeyHint>o</KeyHint>
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
