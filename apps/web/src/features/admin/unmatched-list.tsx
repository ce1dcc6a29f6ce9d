import { useInfiniteQuery } from '@tanstack/react-query'
import type { UnmatchedPayment } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { adminPaymentsTexts } from '../../texts/admin-payments.tsx'
import { numberLocale } from '../../texts/language.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { adminQueries } from './admin-queries.ts'
import { FetchFailure } from './fetch-failure.tsx'
import { LoadMore } from './load-more.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'
import { UnmatchedRow } from './unmatched-row.tsx'

const texts = adminPaymentsTexts.unmatchedList

interface UnmatchedListProps {
  state: 'open' | 'resolved'
  right: ReactNode
}

/** Payments that reached the treasury and found no plan. */
export function UnmatchedList({ state, right }: UnmatchedListProps) {
  const query = useInfiniteQuery(adminQueries.unmatched(state))
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const [resolving, setResolving] = useState<{ payment: UnmatchedPayment; start: 'credit' | undefined }>()
  const payments = data?.pages.flatMap(({ items }) => items) ?? []
  const shown = payments.length.toLocaleString(numberLocale)
  return (
    <Panel
      title={texts.unmatchedPayments}
      right={right}
      flush
      footer={
        payments.length === 0 ? undefined : (
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
      <Rows query={query} state={state}>
        {payments.length > 0 && (
          <ul className="divide-y divide-line-1">
            {payments.map((payment) => (
              <UnmatchedRow
                key={payment.id}
                payment={payment}
                onResolve={(chosen, start) => setResolving({ payment: chosen, start })}
              />
            ))}
          </ul>
        )}
      </Rows>
      {resolving && <ResolveDialog {...resolving} onClose={() => setResolving(undefined)} />}
    </Panel>
  )
}

interface RowsProps {
  query: { data: unknown; error: unknown; isFetching: boolean; refetch: () => unknown }
  state: 'open' | 'resolved'
  /** False where there are none. */
  children: ReactNode
}

function Rows({ query: { data, error, isFetching, refetch }, state, children }: RowsProps) {
  if (!data && !error) return <SkeletonRows rows={2} label={texts.loadingUnmatchedPayments} />
  if (!data) {
    return (
      <div className="p-5 phone:p-4">
        <FetchFailure
          fallback={texts.failedToFetchUnmatched}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    )
  }
  if (children) return children
  return state === 'open' ? (
    <EmptyState title={texts.everyPaymentHasFound}>{texts.oneThatReachesTheTreasury}</EmptyState>
  ) : (
    <EmptyState title={texts.nothingWasResolvedYet}>{texts.whatYouResolveIsKept}</EmptyState>
  )
}
