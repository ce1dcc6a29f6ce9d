import type { UnmatchedPayment } from '@tocsin/protocol'
import { adminPaymentsTexts } from '../../texts/admin-payments.tsx'
import { Address } from '../../ui/address.tsx'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { itoAmount } from './ito-amount.ts'
import { Transaction } from './transaction.tsx'
import { readyCredit, resolutionOf, whyUnmatched } from './unmatched-words.ts'
import { useAdminPlace } from './use-admin-place.ts'

const texts = adminPaymentsTexts.unmatchedRow

interface UnmatchedRowProps {
  payment: UnmatchedPayment
  onResolve: (payment: UnmatchedPayment, start: 'credit' | undefined) => void
}

/** One payment that found no plan: what is known of it, and what can be done. */
export function UnmatchedRow({ payment, onResolve }: UnmatchedRowProps) {
  const { at, payer, owner, tokenAmount, transactionHash, chainId, resolvedAt, resolutionReason } = payment
  const { go } = useAdminPlace()
  const credit = readyCredit(payment)
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-6 gap-y-1 px-5 py-2.5 text-base md:grid md:grid-cols-[80px_minmax(0,1fr)_112px_112px] md:gap-x-4 lg:grid-cols-[96px_minmax(0,200px)_136px_minmax(0,1fr)_136px_224px] lg:gap-x-6 phone:gap-x-4 phone:px-4">
      <Time at={at} className="text-data" />
      <span className="text-data font-medium wrap-anywhere">{itoAmount(tokenAmount)}</span>
      <Address value={payer} copy />
      <span className="min-w-40 flex-1 wrap-anywhere text-2 md:max-lg:order-1 md:max-lg:col-start-2">
        {whyUnmatched(payment)}
        {owner && (
          <>
            {texts.from}
            <button type="button" className="link touch-target wrap-anywhere" onClick={() => go.show(owner.id)}>
              {owner.name || owner.email || texts.unknownUser}
            </button>
          </>
        )}
        {resolvedAt !== null && (
          <span className="block text-1">
            {resolutionOf(payment)} <Time at={resolvedAt} />
            {resolutionReason !== null && `: ${resolutionReason}`}
          </span>
        )}
      </span>
      <Transaction hash={transactionHash} chainId={chainId} />
      {resolvedAt === null && (
        <span className="ml-auto flex justify-end gap-1 md:max-lg:order-2 md:max-lg:col-span-2 lg:ml-0 phone:w-full">
          {credit !== null && (
            <Button size="sm" onClick={() => onResolve(payment, 'credit')}>
              {credit}
            </Button>
          )}
          <Button
            size="sm"
            variant="ghost"
            aria-label={texts.resolveThePayment({ tokenAmount: itoAmount(tokenAmount) })}
            onClick={() => onResolve(payment, undefined)}
          >
            {texts.resolveByHand}
          </Button>
        </span>
      )}
    </li>
  )
}
