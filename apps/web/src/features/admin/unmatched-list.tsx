import { useInfiniteQuery } from '@tanstack/react-query'
import type { UnmatchedPayment } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { adminPaymentsTexts } from '../../texts/admin-payments.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { adminQueries } from './admin-queries.ts'
import { FetchedRows } from './fetched-rows.tsx'
import { LoadMore } from './load-more.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'
import { UnmatchedHead, UnmatchedRow } from './unmatched-row.tsx'

const texts = adminPaymentsTexts.unmatchedList

interface UnmatchedListProps {
  state: 'open' | 'resolved'
  right: ReactNode
}

/** Payments that reached the treasury and found no plan. */
export function UnmatchedList({ state, right }: UnmatchedListProps) {
  const query = useInfiniteQuery(adminQueries.unmatched(state))
  const { data, hasNextPage } = query
  const [resolving, setResolving] = useState<{ payment: UnmatchedPayment; start: 'credit' | undefined }>()
  const payments = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Panel
      title={texts.unmatchedPayments}
      right={right}
      flush
      footer={
        payments.length === 0 ? undefined : (
          <LoadMore query={query}>{texts.showingNewestFirst({ hasNextPage, count: payments.length })}</LoadMore>
        )
      }
    >
      <FetchedRows
        query={query}
        loading={{ label: texts.loadingUnmatchedPayments, rows: 2 }}
        failed={texts.failedToFetchUnmatched}
        empty={<NoPayments state={state} />}
      >
        {payments.length > 0 && (
          <>
            <UnmatchedHead state={state} />
            <ul className="divide-y divide-line-1">
              {payments.map((payment) => (
                <UnmatchedRow
                  key={payment.id}
                  payment={payment}
                  onResolve={(chosen, start) => setResolving({ payment: chosen, start })}
                />
              ))}
            </ul>
          </>
        )}
      </FetchedRows>
      {resolving && <ResolveDialog {...resolving} onClose={() => setResolving(undefined)} />}
    </Panel>
  )
}

function NoPayments({ state }: Pick<UnmatchedListProps, 'state'>) {
  return state === 'open' ? (
    <EmptyState title={texts.everyPaymentHasFound}>{texts.oneThatReachesTheTreasury}</EmptyState>
  ) : (
    <EmptyState title={texts.nothingWasResolvedYet}>{texts.whatYouResolveIsKept}</EmptyState>
  )
}
