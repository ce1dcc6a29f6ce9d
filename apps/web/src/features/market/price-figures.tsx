import type { Alert } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { useNow } from '../../ui/now.ts'
import { Time } from '../../ui/time.tsx'
import { formatDuration } from '../alert/alert-texts.ts'
import { groupDigits } from '../prediction/amount-texts.ts'
import { getVenueName } from '../prediction/prediction-names.ts'
import { Change } from './change.tsx'
import { type CurrentPrice, useCurrentPrice } from './current-price.ts'
import { type EndPrice, EndPriceLabel, useEndPrice } from './end-price.tsx'
import { type IssuePrice, useIssuePrice } from './issue-price.ts'
import { formatPrice } from './price-texts.ts'

/**
 * Shows the price when the alert was issued and the newest price. If the newest price is current,
 * also shows the change since issue, else the change until the end of the prediction. Renders
 * nothing if the signed message names no price.
 */
export function PriceFigures({ alert }: { alert: Alert }) {
  const issue = useIssuePrice(alert)
  const currentPrice = useCurrentPrice(issue)
  const end = useEndPrice(alert, issue)
  return issue && <PriceView issue={issue} end={end} current={currentPrice} />
}

type ViewProps = { issue: IssuePrice; end: EndPrice | null; current: CurrentPrice }

/** The view of the figures, without queries. */
export function PriceView({ issue, end, current }: ViewProps) {
  return (
    <section aria-label="Price">
      <dl className="flex flex-wrap gap-x-4 gap-y-3 @min-[420px]:gap-x-6">
        <PriceFigure label="Price at issue">{formatExactPrice(issue.price)}</PriceFigure>
        {end && current.kind !== 'now' && (
          <PriceFigure label={<EndPriceLabel end={end} />}>
            <Change percent={end.change} />
          </PriceFigure>
        )}
        {current.kind === 'now' && <PriceFigure label="Now">{formatExactPrice(current.seen.price)}</PriceFigure>}
        {current.kind === 'now' && current.change !== null && (
          <PriceFigure label="Since issue">
            <Change percent={current.change} />
          </PriceFigure>
        )}
        {current.kind === 'old' && (
          <PriceFigure label={<StalePriceLabel atMs={current.seen.atMs} />}>
            <span className="text-2">{formatExactPrice(current.seen.price)}</span>
          </PriceFigure>
        )}
      </dl>
      <p className="mt-1 text-hint text-2">
        {issue.market} on {getVenueName(issue.venue)}, in {issue.quote}. The price at issue is part of the signed
        message
        {current.kind === 'now' && (
          <>
            ; the last trade was at <Time at={new Date(current.seen.atMs).toISOString()} mono={false} />
          </>
        )}
        .
      </p>
    </section>
  )
}

/**
 * Formats a price with all digits of the exchange, and with at least the digits of a price column.
 */
function formatExactPrice(price: string): string {
  const [exactPrice, roundedPrice] = [groupDigits(price), formatPrice(price)]
  return exactPrice.length < roundedPrice.length ? roundedPrice : exactPrice
}

/** The label of an old price, with its age unless its time is in the future. */
function StalePriceLabel({ atMs }: { atMs: number }) {
  return useNow((nowMs) => (atMs > nowMs ? 'Last price' : `Last price, ${formatDuration(nowMs - atMs)} ago`))
}

function PriceFigure({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-20">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-0.5 text-number-sm">{children}</dd>
    </div>
  )
}
