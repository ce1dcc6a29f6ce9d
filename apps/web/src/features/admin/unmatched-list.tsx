import { useInfiniteQuery } from '@tanstack/react-query'
import type { UnmatchedPayment } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNewestFirst } from '../../ui/format-newest-first.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { adminQueries } from './admin-queries.ts'
import { QueryRows } from './query-rows.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'
import { UnmatchedHeader, UnmatchedRow } from './unmatched-row.tsx'

interface UnmatchedListProps {
  state: 'open' | 'resolved'
  right: ReactNode
}

/** Payments to the treasury that were not matched to a plan. */
export function UnmatchedList({ state, right }: UnmatchedListProps) {
  const query = useInfiniteQuery(adminQueries.unmatched(state))
  const { data, hasNextPage } = query
  const [openResolution, setOpenResolution] = useState<{ payment: UnmatchedPayment; start: 'credit' | undefined }>()
  const payments = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Panel
      title="Unmatched payments"
      actions={right}
      flush
      footer={
        payments.length === 0 ? undefined : (
          <LoadMore query={query}>{formatNewestFirst(hasNextPage, payments.length)}</LoadMore>
        )
      }
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading unmatched payments', rows: 2 }}
        failed="Failed to fetch unmatched payments"
        empty={<NoPayments state={state} />}
      >
        {payments.length > 0 && (
          <>
            <UnmatchedHeader state={state} />
            <ul className="divide-y divide-line-1">
              {payments.map((payment) => (
                <UnmatchedRow
                  key={payment.id}
                  payment={payment}
                  onResolve={(chosen, start) => setOpenResolution({ payment: chosen, start })}
                />
              ))}
            </ul>
          </>
        )}
      </QueryRows>
      {openResolution && <ResolveDialog {...openResolution} onClose={() => setOpenResolution(undefined)} />}
    </Panel>
  )
}

function NoPayments({ state }: Pick<UnmatchedListProps, 'state'>) {
  return state === 'open' ? (
    <EmptyState isCompact title="No unmatched payments">
      Payments to the treasury that match no plan appear here.
    </EmptyState>
  ) : (
    <EmptyState isCompact title="No resolved payments yet">
      Resolved payments appear here with the reason.
    </EmptyState>
  )
}
