import type { Alert } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { minuteTime } from '../../ui/format-time.ts'
import { useTimeStyle } from '../../ui/time-style.ts'
import { horizonOf } from '../prediction/moves.ts'
import { type OutcomeMessage, useOutcomeMessage } from '../prediction/outcome-message.ts'
import type { IssuePrice } from './issue-price.ts'
import { changeOf } from './price-words.ts'

/** The last close of a prediction's horizon, by the candles that the outcome signs. */
export interface EndPrice {
  price: string
  atMs: number
  /** Since issue, in percent. */
  change: number
}

/** Null without an outcome that has the last candle of the market of the price at issue. */
export function endPriceOf(
  { prediction }: Pick<Alert, 'prediction'>,
  issue: IssuePrice | null,
  message: Pick<OutcomeMessage, 'candles'> | null,
): EndPrice | null {
  if (!issue || !prediction || prediction.metric === 'spread') return null
  if (issue.venue !== prediction.venue || issue.market !== prediction.market) return null
  const { to } = horizonOf(prediction)
  const [openSeconds, , , , close] = message?.candles.at(-1) ?? []
  if (openSeconds === undefined || close === undefined || openSeconds * 1_000 + MINUTE_MS !== to) return null
  const change = changeOf(issue.price, close)
  return change === null ? null : { price: close, atMs: to, change }
}

export function useEndPrice(alert: Pick<Alert, 'prediction' | 'outcome'>, issue: IssuePrice | null): EndPrice | null {
  return endPriceOf(alert, issue, useOutcomeMessage(alert).message)
}

/** "Until 14:58": from issue to the end of the prediction. */
export function UntilEnd({ end: { atMs } }: { end: EndPrice }) {
  return `Until ${minuteTime(atMs, useTimeStyle())}`
}
