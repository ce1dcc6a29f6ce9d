import { useInfiniteQuery } from '@tanstack/react-query'
import type { AdminOrder } from '@tocsin/protocol'
import { useState } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { adminQueries, type OrderSelection } from './admin-queries.ts'
import { FetchedRows } from './fetched-rows.tsx'
import { flagWords, unusualFlags } from './order-words.ts'
import { ResolveOrderDialog } from './resolve-order-dialog.tsx'
import { UnusualOrderRow } from './unusual-order-row.tsx'
import { useAdminPlace } from './use-admin-place.ts'

const flags = unusualFlags.map((value) => ({ value, label: flagWords[value] }))
const states = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
] as const

export const unusualOrdersId = 'unusual-purchases'

/** Purchases whose payment differed from the order in amount, time or number of transfers. */
export function UnusualOrders() {
  const { flag, purchases: state, go } = useAdminPlace()
  const query = useInfiniteQuery(adminQueries.orders({ flag, state }))
  const { data, hasNextPage } = query
  const [resolving, setResolving] = useState<AdminOrder>()
  const orders = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div id={unusualOrdersId} className="grid min-w-0 scroll-mt-20">
      <Panel
        title="Unusual purchases"
        right={
          <Segmented
            label="Filter by status"
            value={state}
            onChange={(next) => go.refine({ purchases: next })}
            choices={states}
          />
        }
        flush
        footer={
          orders.length === 0 ? undefined : (
            <LoadMore query={query}>{showingNewestFirst({ hasNextPage, count: orders.length })}</LoadMore>
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
        <FetchedRows
          query={query}
          loading={{ label: 'Loading unusual purchases', rows: 2 }}
          failed="Failed to fetch unusual purchases"
          empty={<NoOrders flag={flag} state={state} />}
        >
          {orders.length > 0 && (
            <ul className="divide-y divide-line-1">
              {orders.map((order) => (
                <UnusualOrderRow key={order.id} order={order} onResolve={setResolving} />
              ))}
            </ul>
          )}
        </FetchedRows>
        {resolving && <ResolveOrderDialog order={resolving} onClose={() => setResolving(undefined)} />}
      </Panel>
    </div>
  )
}

const noneOpen: Record<OrderSelection['flag'], string> = {
  over: 'No overpayments to resolve',
  late: 'No late payments to resolve',
  multiple: 'No purchases in several transfers to resolve',
}
const meaning: Record<OrderSelection['flag'], string> = {
  over: 'Overpaid purchases appear here with the excess, which you can send back. Resolved ones move to Resolved.',
  late: 'Payments after the time limit of their purchase appear here, credited or not.',
  multiple: 'Purchases paid in more than one transfer appear here.',
}

function NoOrders({ flag, state }: OrderSelection) {
  return state === 'open' ? (
    <EmptyState title={noneOpen[flag]}>{meaning[flag]}</EmptyState>
  ) : (
    <EmptyState title="No resolved purchases yet">Resolved purchases appear here with the reason.</EmptyState>
  )
}

function showingNewestFirst(shown: { hasNextPage: boolean; count: number }) {
  return `${shownWords(shown)}, newest first`
}

function shownWords({ hasNextPage, count }: { hasNextPage: boolean; count: number }): string {
  const shown = count.toLocaleString(numberLocale)
  if (hasNextPage) return `Showing ${shown}`
  return count === 1 ? `${shown} shown` : `All ${shown} shown`
}
