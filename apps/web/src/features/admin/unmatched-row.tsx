import { getPlan, type UnmatchedPayment } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Time } from '../../ui/time.tsx'
import { Transaction } from '../../ui/transaction.tsx'
import { useAllowed } from './allowed.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { ResolvedNote } from './resolved-note.tsx'
import { formatCreditLabel, formatResolution, formatUnmatchedReason } from './unmatched-texts.ts'
import { unusualOrdersId } from './unusual-orders.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { getDisplayName } from './user-texts.ts'

interface UnmatchedRowProps {
  payment: UnmatchedPayment
  onResolve: (payment: UnmatchedPayment, start: 'credit' | undefined) => void
}

/** Grid columns for wide screens, where all cells fit on one line. */
const oneLineClasses = 'xl:grid-cols-[96px_minmax(0,200px)_136px_minmax(0,1fr)_136px_224px]'

/**
 * Column headings of the one-line layout. On narrower screens, the sender and the transaction have
 * labels instead.
 */
export function UnmatchedHeader({ state }: { state: 'open' | 'resolved' }) {
  const reasonHeading = state === 'open' ? 'Why unmatched' : 'Resolution'
  return (
    <div
      aria-hidden
      className={`${oneLineClasses} hidden h-9 items-center gap-x-6 border-b border-line-1 px-5 text-label text-2 xl:grid`}
    >
      {['Time', 'Amount', 'From', reasonHeading, 'Transaction'].map((word) => (
        <span key={word}>{word}</span>
      ))}
    </div>
  )
}

export function UnmatchedRow({ payment, onResolve }: UnmatchedRowProps) {
  const { at, payer, owner, tokenAmount, transactionHash, chainId, resolvedAt } = payment
  const { go } = useAdminSearchParams()
  const credit = formatCreditLabel(payment)
  const mayResolve = useAllowed('payments.manage')
  return (
    <li
      className={`${oneLineClasses} flex min-h-12 flex-wrap items-center gap-x-6 gap-y-1 px-5 py-2.5 text-base md:grid md:grid-cols-[80px_minmax(0,1fr)_156px_136px] md:max-xl:gap-x-4 phone:gap-x-4 phone:px-4`}
    >
      <Time at={at} className="text-data" />
      <span className="text-data font-medium wrap-anywhere">{formatItoAmount(tokenAmount)}</span>
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
        {resolvedAt === null ? formatUnmatchedReason(payment) : `Unmatched: ${formatUnmatchedReason(payment)}`}
        {owner && (
          <>
            {', from '}
            <button type="button" className="link touch-target wrap-anywhere" onClick={() => go.show(owner.id)}>
              {getDisplayName(owner)}
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
      {mayResolve && resolvedAt === null && (
        <span className="ml-auto flex justify-end gap-1 md:max-xl:order-2 md:max-xl:col-span-2 xl:ml-0 phone:w-full">
          {credit !== null && (
            <Button size="sm" onClick={() => onResolve(payment, 'credit')}>
              {credit}
            </Button>
          )}
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Resolve the payment of ${formatItoAmount(tokenAmount)} manually`}
            onClick={() => onResolve(payment, undefined)}
          >
            Resolve manually
          </Button>
        </span>
      )}
    </li>
  )
}

type Credit = NonNullable<UnmatchedPayment['credit']>

/** Says how a payment was resolved: account, plan, admin, time, reason, and any overpayment. */
function UnmatchedResolved({ payment }: { payment: UnmatchedPayment }) {
  const { credit, resolution } = payment
  const isIgnoredOrRefunded = resolution === 'ignore' || resolution === 'refund_noted'
  return (
    <>
      <ResolvedNote of={payment}>
        {isIgnoredOrRefunded || credit === null ? (
          formatResolution(payment)
        ) : (
          <CreditedAccount credit={credit} resolution={resolution} />
        )}
      </ResolvedNote>
      {isIgnoredOrRefunded && credit && (
        <span className="block text-1">
          <CreditedAccount credit={credit} resolution={resolution} />
        </span>
      )}
      {credit && credit.excessWei !== '0' && <Excess credit={credit} />}
    </>
  )
}

const creditLabels = { credit: 'Credited', matched: 'Matched automatically' }

function CreditedAccount({
  credit: { account, planType },
  resolution,
}: { credit: Credit } & Pick<UnmatchedPayment, 'resolution'>) {
  const { go } = useAdminSearchParams()
  const word = resolution === 'credit' || resolution === 'matched' ? creditLabels[resolution] : 'Claimed later'
  return (
    <>
      {word}: {getPlan(planType).name} to{' '}
      {account ? (
        <button type="button" className="link touch-target wrap-anywhere" onClick={() => go.show(account.id)}>
          {getDisplayName(account)}
        </button>
      ) : (
        'a deleted account'
      )}
    </>
  )
}

const excessWords = { refund_noted: 'refund noted', ignore: 'ignored' }

/**
 * Shows the overpayment of a credited payment, with a button that scrolls to the list of overpaid
 * purchases, where admins resolve it.
 */
function Excess({ credit: { excessWei, excessResolution } }: { credit: Credit }) {
  const { go } = useAdminSearchParams()
  function show() {
    go.refine({ flag: 'over', purchases: excessResolution === null ? 'open' : 'resolved' })
    document.getElementById(unusualOrdersId)?.scrollIntoView({ block: 'start' })
  }
  return (
    <span className="block text-1">
      {formatItoAmount(excessWei)} above its price,{' '}
      <button type="button" className="link touch-target" onClick={show}>
        {excessResolution === null ? 'not resolved yet' : excessWords[excessResolution]}
      </button>
    </span>
  )
}
