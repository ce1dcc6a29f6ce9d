import type { Alert } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { Change } from './change.tsx'
import { useCurrentPrice } from './current-price.ts'
import { useIssuePrice } from './issue-price.ts'
import { priceWords } from './price-words.ts'

/** Rows that pass while the list scrolls do not request their message. */
const restMs = 150

/**
 * Price at issue and the change since, for a row: two cells, laid out by `className`. Renders
 * nothing if the signed message names no price, and no change without a source of prices.
 */
export function RowPrice({ alert, className }: { alert: Alert; className?: string }) {
  const isResting = useIsResting()
  const issue = useIssuePrice(isResting ? alert : { ...alert, signalHash: null })
  const current = useCurrentPrice(issue)
  if (issue === null) return null
  return (
    <span className={classNames('flex text-data whitespace-nowrap', className)}>
      <span>
        <span className="sr-only">Price at issue </span>
        {priceWords(issue.price)}
      </span>
      {current.kind === 'now' && current.change !== null && (
        <span>
          <span className="sr-only">, since then </span>
          <Change percent={current.change} />
        </span>
      )}
      {current.kind === 'old' && <span className="text-2">stale</span>}
    </span>
  )
}

function useIsResting(): boolean {
  const [isResting, setIsResting] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsResting(true), restMs)
    return () => clearTimeout(timer)
  }, [])
  return isResting
}
