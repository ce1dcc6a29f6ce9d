import type { Alert } from '@tocsin/protocol'
import type { Signal } from '@tocsin/protocol/feed'
import { useMemo } from 'react'
import { type SignalOf, useSignal } from '../alert/use-signal.ts'

export type VenueMarket = { venue: string; market: string }

/** The price that an alert's signed message names, and its market. */
export interface IssuePrice {
  price: string
  quote: string
  venue: string
  /** The name of the market in the message: `BTCUSDT` or `BTC/USDT`. */
  market: string
}

/**
 * Returns the market of the alert's prediction, or else the market of the price in the signed
 * message. Null if neither is known.
 */
export function useVenueMarket(alert: (SignalOf & Pick<Alert, 'prediction'>) | null): VenueMarket | null {
  const issue = useIssuePrice(alert ?? noAlert)
  const { venue, market } = alert?.prediction ?? issue ?? {}
  return useMemo(() => (venue === undefined || market === undefined ? null : { venue, market }), [venue, market])
}

const noAlert: SignalOf = { id: '', createdAt: '', signalHash: null }

/**
 * Returns the price when the alert was issued. Null if the loaded message is not the signed one or
 * names no price.
 */
export function useIssuePrice(alert: SignalOf): IssuePrice | null {
  const state = useSignal(alert)
  return useMemo(() => (state.kind === 'proved' ? getIssuePrice(state.signal) : null), [state])
}

export function getIssuePrice({ price, quote, venue, asset, prediction }: Signal): IssuePrice | null {
  if (price === undefined || quote === undefined || venue === undefined) return null
  return { price, quote, venue, market: prediction?.market ?? asset }
}
