import { useInfiniteQuery } from '@tanstack/react-query'
import type { AdminOrder } from '@tocsin/protocol'
import { useState } from 'react'
import { Address } from '../../ui/address.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNewestFirst } from '../../ui/format-newest-first.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Time } from '../../ui/time.tsx'
import { Transaction } from '../../ui/transaction.tsx'
import { adminQueries, type OrderSelection } from './admin-queries.ts'
import { useAllowed } from './allowed.tsx'
import { formatItoAmount } from './ito-amount.ts'
import {
  flagLabels,
  formatExcess,
  formatOrderResolution,
  formatPlanAndPrice,
  formatTransfer,
  sumReceivedWei,
  unusualFlags,
} from './order-texts.ts'
import { QueryRows } from './query-rows.tsx'
import { ResolveOrderDialog } from './resolve-order-dialog.tsx'
import { ResolvedNote } from './resolved-note.tsx'
import { StateFilter } from './state-filter.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { getDisplayName } from './user-texts.ts'

const flags = unusualFlags.map((value) => ({ value, label: flagLabels[value] }))

export const unusualOrdersId = 'unusual-purchases'

/** Purchases whose payment differed from the order in amount, time or number of transfers. */
export function UnusualOrders() {
  const { flag, purchases: state, go } = useAdminSearchParams()
  const query = useInfiniteQuery(adminQueries.orders({ flag, state }))
  const { data, hasNextPage } = query
  const [orderToResolve, setOrderToResolve] = useState<AdminOrder>()
  const orders = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div id={unusualOrdersId} className="grid min-w-0 scroll-mt-20">
      <Panel
        title="Unusual purchases"
        actions={<StateFilter value={state} onChange={(next) => go.refine({ purchases: next })} />}
        flush
        footer={
          orders.length === 0 ? undefined : (
            <LoadMore query={query}>{formatNewestFirst(hasNextPage, orders.length)}</LoadMore>
          )
        }
      >
        <div className="border-b border-line-1 px-5 py-2 phone:px-4">
          <Segmented
            label="Filter by flag"
            value={flag}
            onChange={(next) => go.refine({ flag: next })}
            choices={flags}
          />
        </div>
        <QueryRows
          query={query}
          loading={{ label: 'Loading unusual purchases', rows: 2 }}
          failed="Failed to fetch unusual purchases"
          empty={<NoOrders flag={flag} state={state} />}
        >
          {orders.length > 0 && (
            <ul className="divide-y divide-line-1">
              {orders.map((order) => (
                <UnusualOrderRow key={order.id} order={order} onResolve={setOrderToResolve} />
              ))}
            </ul>
          )}
        </QueryRows>
        {orderToResolve && <ResolveOrderDialog order={orderToResolve} onClose={() => setOrderToResolve(undefined)} />}
      </Panel>
    </div>
  )
}

const noOpenOrderTexts: Record<OrderSelection['flag'], string> = {
  over: 'No overpayments to resolve',
  late: 'No late payments to resolve',
  multiple: 'No multi-transfer purchases to resolve',
}
const flagMeanings: Record<OrderSelection['flag'], string> = {
  over: 'Overpaid purchases appear here with the excess, which you can send back. Resolved purchases move to the list “Resolved”.',
  late: 'Payments after the time limit of their purchase appear here, credited or not.',
  multiple: 'Purchases paid in more than one transfer appear here.',
}

function NoOrders({ flag, state }: OrderSelection) {
  return state === 'open' ? (
    <EmptyState isCompact title={noOpenOrderTexts[flag]}>
      {flagMeanings[flag]}
    </EmptyState>
  ) : (
    <EmptyState isCompact title="No resolved purchases yet">
      Resolved purchases appear here with the reason.
    </EmptyState>
  )
}

interface UnusualOrderRowProps {
  order: AdminOrder
  onResolve: (order: AdminOrder) => void
}

/** One purchase: the ordered plan, the transfers, the payer and the overpayment. */
function UnusualOrderRow({ order, onResolve }: UnusualOrderRowProps) {
  const { createdAt, payer, owner, flags, transfers, chainId, resolvedAt } = order
  const { go } = useAdminSearchParams()
  const excess = formatExcess(order)
  const mayResolve = useAllowed('payments.manage')
  return (
    <li className="flex min-h-12 flex-wrap items-start gap-x-6 gap-y-2 px-5 py-2.5 text-base xl:grid xl:grid-cols-[96px_minmax(0,208px)_136px_minmax(0,1fr)_minmax(0,264px)_88px] phone:gap-x-4 phone:px-4">
      <Time at={createdAt} className="text-data" />
      <span className="grid wrap-anywhere">
        <span className="text-data font-medium">{formatItoAmount(sumReceivedWei(order))}</span>
        <span className="text-2">for {formatPlanAndPrice(order)}</span>
        {excess !== null && <span>{excess} too much</span>}
      </span>
      <Address value={payer} copy />
      <span className="flex min-w-40 flex-1 flex-wrap items-center gap-1.5 wrap-anywhere text-2">
        {flags.map((flag) => (
          <Badge key={flag} plain>
            {flagLabels[flag]}
          </Badge>
        ))}
        {owner ? (
          <button type="button" className="link touch-target wrap-anywhere" onClick={() => go.show(owner.id)}>
            {getDisplayName(owner)}
          </button>
        ) : (
          'Account deleted'
        )}
        <span className="w-full empty:hidden">
          <ResolvedNote of={order}>{formatOrderResolution(order)}</ResolvedNote>
        </span>
      </span>
      <ul className="grid gap-1 phone:w-full">
        {transfers.map((transfer) => (
          <li
            key={`${transfer.transactionHash} ${transfer.logIndex}`}
            className="flex flex-wrap items-center gap-x-3 wrap-anywhere"
          >
            <Transaction hash={transfer.transactionHash} chainId={chainId} />
            <span className="text-hint text-2">{formatTransfer(transfer)}</span>
          </li>
        ))}
      </ul>
      {mayResolve && resolvedAt === null && (
        <span className="ml-auto flex justify-end xl:ml-0 phone:w-full">
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Resolve the purchase of ${formatPlanAndPrice(order)}`}
            onClick={() => onResolve(order)}
          >
            Resolve
          </Button>
        </span>
      )}
    </li>
  )
}
