import { useInfiniteQuery } from '@tanstack/react-query'
import type { AdminOrder } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { adminPaymentsTexts } from '../../texts/admin-payments.tsx'
import { numberLocale } from '../../texts/language.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { adminQueries, type OrderSelection } from './admin-queries.ts'
import { FetchFailure } from './fetch-failure.tsx'
import { LoadMore } from './load-more.tsx'
import { flagWords, unusualFlags } from './order-words.ts'
import { ResolveOrderDialog } from './resolve-order-dialog.tsx'
import { UnusualOrderRow } from './unusual-order-row.tsx'
import { useAdminPlace } from './use-admin-place.ts'

const texts = adminPaymentsTexts.unusualOrders

const flags = unusualFlags.map((value) => ({ value, label: flagWords[value] }))
const states = [
  { value: 'open', label: texts.open },
  { value: 'resolved', label: texts.resolved },
] as const

/** Purchases that were granted, or not, on a payment that was not quite what was asked for. */
export function UnusualOrders() {
  const { flag, purchases: state, go } = useAdminPlace()
  const query = useInfiniteQuery(adminQueries.orders({ flag, state }))
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const [resolving, setResolving] = useState<AdminOrder>()
  const orders = data?.pages.flatMap(({ items }) => items) ?? []
  const shown = orders.length.toLocaleString(numberLocale)
  return (
    <Panel
      title={texts.unusualPurchases}
      right={
        <Segmented
          label={texts.whichPurchases}
          value={state}
          onChange={(next) => go.refine({ purchases: next })}
          choices={states}
        />
      }
      flush
      footer={
        orders.length === 0 ? undefined : (
          <LoadMore
            hasMore={hasNextPage}
            isLoading={isFetchingNextPage}
            hasFailed={isFetchNextPageError}
            onMore={() => void fetchNextPage()}
          >
            {texts.showingNewestFirst({ hasNextPage, shown })}
          </LoadMore>
        )
      }
    >
      <div className="border-b border-line-1 px-5 py-2 phone:px-4">
        <Segmented
          label={texts.whatWasUnusual}
          value={flag}
          onChange={(next) => go.refine({ flag: next })}
          choices={flags}
        />
      </div>
      <Rows query={query} selection={{ flag, state }}>
        {orders.length > 0 && (
          <ul className="divide-y divide-line-1">
            {orders.map((order) => (
              <UnusualOrderRow key={order.id} order={order} onResolve={setResolving} />
            ))}
          </ul>
        )}
      </Rows>
      {resolving && <ResolveOrderDialog order={resolving} onClose={() => setResolving(undefined)} />}
    </Panel>
  )
}

interface RowsProps {
  query: { data: unknown; error: unknown; isFetching: boolean; refetch: () => unknown }
  selection: OrderSelection
  /** False where there are none. */
  children: ReactNode
}

const noneOpen: Record<OrderSelection['flag'], string> = {
  over: texts.nobodyHasPaidTooMuch,
  late: texts.nobodyHasPaidTooLate,
  multiple: texts.nobodyHasPaidInSeveral,
}
const meaning: Record<OrderSelection['flag'], string> = {
  over: texts.planIsGrantedWhenMore,
  late: texts.paymentAfterTheTimeLimit,
  multiple: texts.purchaseThatWasPaid,
}

function Rows({ query: { data, error, isFetching, refetch }, selection: { flag, state }, children }: RowsProps) {
  if (!data && !error) return <SkeletonRows rows={2} label={texts.loadingUnusualPurchases} />
  if (!data) {
    return (
      <div className="p-5 phone:p-4">
        <FetchFailure
          fallback={texts.failedToFetchUnusual}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    )
  }
  if (children) return children
  return state === 'open' ? (
    <EmptyState title={noneOpen[flag]}>{meaning[flag]}</EmptyState>
  ) : (
    <EmptyState title={texts.nothingWasResolvedYet}>{texts.whatYouResolveIsKept}</EmptyState>
  )
}
