import type { Signal } from '@tocsin/protocol/feed'
import { useMemo } from 'react'
import { type SignalOf, useSignal } from '../alert/use-signal.ts'

/** The price that an alert's signed message names, and its market. */
export interface IssuePrice {
  price: string
  quote: string
  venue: string
  /** As the message names it: `BTCUSDT` or `BTC/USDT`. */
  market: string
}

/** Null if the message is not the signed one or names no price. */
export function useIssuePrice(alert: SignalOf): IssuePrice | null {
  const state = useSignal(alert)
  return useMemo(() => (state.kind === 'proved' ? issuePriceOf(state.signal) : null), [state])
}

export function issuePriceOf({ price, quote, venue, asset, prediction }: Signal): IssuePrice | null {
  if (price === undefined || quote === undefined || venue === undefined) return null
  return { price, quote, venue, market: prediction?.market ?? asset }
}
