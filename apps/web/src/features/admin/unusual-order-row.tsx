import type { AdminOrder } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { itoAmount } from './ito-amount.ts'
import { askedFor, excessOf, flagWords, orderResolutionOf, receivedWei, transferWords } from './order-words.ts'
import { ResolvedNote } from './resolved-note.tsx'
import { Transaction } from './transaction.tsx'
import { useAdminPlace } from './use-admin-place.ts'

interface UnusualOrderRowProps {
  order: AdminOrder
  onResolve: (order: AdminOrder) => void
}

/** One purchase: ordered plan, transfers, payer, and overpayment. */
export function UnusualOrderRow({ order, onResolve }: UnusualOrderRowProps) {
  const { createdAt, payer, owner, flags, transfers, chainId, resolvedAt } = order
  const { go } = useAdminPlace()
  const excess = excessOf(order)
  return (
    <li className="flex min-h-12 flex-wrap items-start gap-x-6 gap-y-2 px-5 py-2.5 text-base xl:grid xl:grid-cols-[96px_minmax(0,208px)_136px_minmax(0,1fr)_minmax(0,264px)_88px] phone:gap-x-4 phone:px-4">
      <Time at={createdAt} className="text-data" />
      <span className="grid wrap-anywhere">
        <span className="text-data font-medium">{itoAmount(receivedWei(order))}</span>
        <span className="text-2">for {askedFor(order)}</span>
        {excess !== null && <span>{excess} too much</span>}
      </span>
      <Address value={payer} copy />
      <span className="flex min-w-40 flex-1 flex-wrap items-center gap-1.5 wrap-anywhere text-2">
        {flags.map((flag) => (
          <Badge key={flag} plain>
            {flagWords[flag]}
          </Badge>
        ))}
        {owner ? (
          <button type="button" className="link touch-target wrap-anywhere" onClick={() => go.show(owner.id)}>
            {owner.name || owner.email || 'Unknown User'}
          </button>
        ) : (
          'Account deleted'
        )}
        <span className="w-full empty:hidden">
          <ResolvedNote of={order}>{orderResolutionOf(order)}</ResolvedNote>
        </span>
      </span>
      <ul className="grid gap-1 phone:w-full">
        {transfers.map((transfer) => (
          <li
            key={`${transfer.transactionHash} ${transfer.logIndex}`}
            className="flex flex-wrap items-center gap-x-3 wrap-anywhere"
          >
            <Transaction hash={transfer.transactionHash} chainId={chainId} />
            <span className="text-hint text-2">{transferWords(transfer)}</span>
          </li>
        ))}
      </ul>
      {resolvedAt === null && (
        <span className="ml-auto flex justify-end xl:ml-0 phone:w-full">
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Resolve the purchase of ${askedFor(order)}`}
            onClick={() => onResolve(order)}
          >
            Resolve
          </Button>
        </span>
      )}
    </li>
  )
}
