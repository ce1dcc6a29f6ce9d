import type { Alert } from '@tocsin/protocol'
import { classNames } from '../../ui/class-names.ts'
import { useIssuePrice } from './issue-price.ts'
import { priceWords } from './price-words.ts'

/** Price at issue, for a row. Renders nothing if the signed message names none. */
export function RowPrice({ alert, className }: { alert: Alert; className?: string }) {
  const issue = useIssuePrice(alert)
  if (issue === null) return null
  return (
    <span className={classNames('flex text-data whitespace-nowrap', className)}>
      <span className="sr-only">Price at issue </span>
      {priceWords(issue.price)}
    </span>
  )
}
