import type { Alert } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { formatClock } from '../../ui/format-time.ts'
import { useTimeStyle } from '../../ui/time-style.ts'
import { type OutcomeMessage, useOutcomeMessage } from '../prediction/outcome-message.ts'
import { toHorizon } from '../prediction/outcome-state.ts'
import type { IssuePrice } from './issue-price.ts'
import { computePercentChange } from './price-texts.ts'

/**
 * The last close in the horizon of a prediction, from the candles of the signed outcome message.
 */
export interface EndPrice {
  price: string
  atMs: number
  /** Change since issue in percent. */
  change: number
}

/**
 * Returns null if the alert has no prediction or one about two markets, if the price at issue is
 * unknown or from another market, or if no outcome message contains the last candle of the horizon.
 */
export function computeEndPrice(
  { prediction }: Pick<Alert, 'prediction'>,
  issue: IssuePrice | null,
  message: Pick<OutcomeMessage, 'candles'> | null,
): EndPrice | null {
  if (!issue || !prediction || prediction.metric === 'spread') return null
  if (issue.venue !== prediction.venue || issue.market !== prediction.market) return null
  const { to } = toHorizon(prediction)
  const [openSeconds, , , , close] = message?.candles.at(-1) ?? []
  if (openSeconds === undefined || close === undefined || openSeconds * 1_000 + MINUTE_MS !== to) return null
  const change = computePercentChange(issue.price, close)
  return change === null ? null : { price: close, atMs: to, change }
}

export function useEndPrice(alert: Pick<Alert, 'prediction' | 'outcome'>, issue: IssuePrice | null): EndPrice | null {
  return computeEndPrice(alert, issue, useOutcomeMessage(alert).message)
}

/** Label of the change from issue to the end of the prediction: "Until 14:58:00". */
export function EndPriceLabel({ end: { atMs } }: { end: EndPrice }) {
  return `Until ${formatClock(atMs, useTimeStyle())}`
}
