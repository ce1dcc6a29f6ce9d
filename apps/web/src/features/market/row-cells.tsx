import type { Alert } from '@tocsin/protocol'
import { useDeferredValue, useEffect } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { useCanLoadSignal } from '../alert/use-can-load-signal.ts'
import { Change } from './change.tsx'
import { useCurrentPrice } from './current-price.ts'
import { formatExpectedChange } from './expected-change.ts'
import { type IssuePrice, useIssuePrice } from './issue-price.ts'
import { showPriceColumn } from './price-column.ts'
import { formatPrice } from './price-texts.ts'

type RowPriceProps = { alert: Alert; className?: string }

/**
 * Price when the alert was issued and the change since then, as two cells of a row that `className`
 * lays out. Renders nothing if the signed message names no price. Without a source of prices, it
 * renders no change.
 */
export function RowPrice(props: RowPriceProps) {
  return useCanLoadSignal(props.alert) ? <LoadedPrice {...props} /> : null
}

function LoadedPrice({ alert, className }: RowPriceProps) {
  // Deferred, because rendering the prices of all rows in one task would be a long task.
  const issue = useDeferredValue(useIssuePrice(alert))
  return issue && <Price issue={issue} className={className} />
}

function Price({ issue, className }: { issue: IssuePrice; className: string | undefined }) {
  const currentPrice = useCurrentPrice(issue)
  useEffect(showPriceColumn, [])
  return (
    <span className={classNames('text-data whitespace-nowrap', className)}>
      <span>
        <span className="sr-only">Price at issue </span>
        {currentPrice.kind === 'now' && <PhoneLabel>at </PhoneLabel>}
        {formatPrice(issue.price)}
      </span>
      {currentPrice.kind === 'now' && currentPrice.change !== null && (
        <span>
          <span className="sr-only">, since then </span>
          <PhoneLabel>since </PhoneLabel>
          <Change percent={currentPrice.change} />
        </span>
      )}
      {currentPrice.kind === 'old' && <span className="text-2">stale</span>}
      {currentPrice.kind === 'none' && (
        <span aria-hidden className="hidden font-sans text-hint text-2 phone:inline">
          at issue
        </span>
      )}
    </span>
  )
}

/** Names a figure on phones, where the list has no column headings. `CompactRow` hides it. */
function PhoneLabel({ children }: { children: string }) {
  return (
    <span aria-hidden data-phone-label className="hidden font-sans text-hint text-2 phone:inline">
      {children}
    </span>
  )
}

/**
 * The change to which the confidence of an alert refers. On phones it is below the confidence and
 * has no column heading.
 */
export function ExpectedChange({ prediction }: Pick<Alert, 'prediction'>) {
  if (!prediction) return <PhoneLabel>conf.</PhoneLabel>
  return (
    <span className="font-sans text-hint text-2">
      <span className="sr-only">Expects </span>
      <PhoneLabel>for </PhoneLabel>
      {formatExpectedChange(prediction)}
    </span>
  )
}
