import type { UnmatchedPayment } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Time } from '../../ui/time.tsx'
import { itoAmount } from './ito-amount.ts'
import { Transaction } from './transaction.tsx'
import { UnmatchedResolved } from './unmatched-resolved.tsx'
import { readyCredit, whyUnmatched } from './unmatched-words.ts'
import { useAdminPlace } from './use-admin-place.ts'

interface UnmatchedRowProps {
  payment: UnmatchedPayment
  onResolve: (payment: UnmatchedPayment, start: 'credit' | undefined) => void
}

/** Columns for widths where all cells fit on one line. */
const inOneLine = 'xl:grid-cols-[96px_minmax(0,200px)_136px_minmax(0,1fr)_136px_224px]'

/**
 * Column headings, for the one-line layout only. On narrow screens cells that look alike have
 * labels instead.
 */
export function UnmatchedHead({ state }: { state: 'open' | 'resolved' }) {
  const why = state === 'open' ? 'Why unmatched' : 'Resolution'
  return (
    <div
      aria-hidden
      className={`${inOneLine} hidden h-9 items-center gap-x-6 border-b border-line-1 px-5 text-label text-2 xl:grid`}
    >
      {['Time', 'Amount', 'From', why, 'Transaction'].map((word) => (
        <span key={word}>{word}</span>
      ))}
    </div>
  )
}

/** An unmatched payment with its details and actions. */
export function UnmatchedRow({ payment, onResolve }: UnmatchedRowProps) {
  const { at, payer, owner, tokenAmount, transactionHash, chainId, resolvedAt } = payment
  const { go } = useAdminPlace()
  const credit = readyCredit(payment)
  return (
    <li
      className={`${inOneLine} flex min-h-12 flex-wrap items-center gap-x-6 gap-y-1 px-5 py-2.5 text-base md:grid md:grid-cols-[80px_minmax(0,1fr)_156px_136px] md:max-xl:gap-x-4 phone:gap-x-4 phone:px-4`}
    >
      <Time at={at} className="text-data" />
      <span className="text-data font-medium wrap-anywhere">{itoAmount(tokenAmount)}</span>
      <span className="flex items-center gap-2">
        <span className="text-hint text-2 xl:sr-only">From</span>
        <Address value={payer} copy />
      </span>
      <span
        className={classNames(
          'min-w-40 flex-1 wrap-anywhere text-2 md:max-xl:order-1 md:max-xl:col-start-2',
          resolvedAt !== null && 'phone:basis-full',
        )}
      >
        {resolvedAt !== null && <UnmatchedResolved payment={payment} />}
        {resolvedAt === null ? whyUnmatched(payment) : `Unmatched: ${whyUnmatched(payment)}`}
        {owner && (
          <>
            {', from '}
            <button type="button" className="link touch-target wrap-anywhere" onClick={() => go.show(owner.id)}>
              {owner.name || owner.email || 'Unknown User'}
            </button>
          </>
        )}
      </span>
      <span className="flex items-center gap-2">
        <span className="text-hint text-2 xl:hidden" aria-hidden>
          Tx
        </span>
        <span className="sr-only">Transaction</span>
        <Transaction hash={transactionHash} chainId={chainId} />
      </span>
      {resolvedAt === null && (
        <span className="ml-auto flex justify-end gap-1 md:max-xl:order-2 md:max-xl:col-span-2 xl:ml-0 phone:w-full">
          {credit !== null && (
            <Button size="sm" onClick={() => onResolve(payment, 'credit')}>
              {credit}
            </Button>
          )}
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Resolve the payment of ${itoAmount(tokenAmount)} by hand`}
            onClick={() => onResolve(payment, undefined)}
          >
            Resolve by hand
          </Button>
        </span>
      )}
    </li>
  )
}
