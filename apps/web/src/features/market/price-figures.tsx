import type { Alert } from '@tocsin/protocol'
import { groupDigits } from '../prediction/amount-words.ts'
import { venueName } from '../prediction/prediction-words.ts'
import { type IssuePrice, useIssuePrice } from './issue-price.ts'

/** The price in the message that the alert signs. Renders nothing without one. */
export function PriceFigures({ alert, className }: { alert: Alert; className?: string }) {
  const issue = useIssuePrice(alert)
  if (issue === null) return null
  return (
    <div className={className}>
      <dl className="flex flex-wrap gap-x-10 gap-y-3">
        <PriceFigure label="At issue">{groupDigits(issue.price)}</PriceFigure>
      </dl>
      <p className="mt-1 text-hint text-2">{marketWords(issue)}. The price at issue is part of the signed message.</p>
    </div>
  )
}

function PriceFigure({ label, children }: { label: string; children: string }) {
  return (
    <div className="min-w-24">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-0.5 text-number-sm">{children}</dd>
    </div>
  )
}

/** "BTCUSDT on Binance, in USDT". */
export function marketWords({ market, venue, quote }: IssuePrice): string {
  const name = venueName(venue)
  return `${market} on ${name}, in ${quote}`
}
