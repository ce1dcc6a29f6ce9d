import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { call, sentenceOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { isInProgress } from './order-state.ts'
import { OrderTable } from './order-table.tsx'
import { usePurchase } from './purchase-provider.tsx'

const pageSize = 20
const pollMs = 5000

const orderPages = infiniteQueryOptions({
  queryKey: ['/api/orders', 'pages'],
  queryFn: ({ pageParam, signal }) =>
    call('listOrders', { query: { limit: pageSize, ...(pageParam === null ? {} : { cursor: pageParam }) }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }) => next,
})

/** All orders of this account, newest first. */
export function PaymentHistory() {
  const query = useInfiniteQuery({
    ...orderPages,
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isInProgress)) ? pollMs : false),
  })
  const orders = query.data?.pages.flatMap(({ items }) => items)
  return (
    <Panel
      title="Payments"
      flush
      footer={query.hasNextPage || query.isFetchNextPageError ? <More {...query} /> : undefined}
    >
      {orders === undefined ? (
        query.isError ? (
          <div role="alert" className="flex flex-wrap items-center gap-3 p-5 text-base phone:p-4">
            {sentenceOf(query.error, 'Failed to fetch the payments')}
            <Button busy={query.isFetching} onClick={() => void query.refetch()}>
              {query.isFetching ? 'Trying…' : 'Try again'}
            </Button>
          </div>
        ) : (
          <SkeletonRows rows={4} label="Loading payments" />
        )
      ) : orders.length === 0 ? (
        <NoPayments />
      ) : (
        <OrderTable orders={orders} />
      )}
    </Panel>
  )
}

type MoreProps = {
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchNextPage: () => Promise<unknown>
}

function More({ isFetchingNextPage, isFetchNextPageError, fetchNextPage }: MoreProps) {
  return (
    <>
      <span role="status" className="min-w-0 flex-1">
        {isFetchNextPageError ? 'Could not load more payments.' : 'There are older payments.'}
      </span>
      <Button size="sm" variant="ghost" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchingNextPage ? 'Loading…' : isFetchNextPageError ? 'Try again' : 'Load more'}
      </Button>
    </>
  )
}

function NoPayments() {
  const { open } = usePurchase()
  return (
    <EmptyState title="No payments yet" action={<Button onClick={() => open()}>See the plans</Button>}>
      Plans that you order will be listed here, with their transactions and periods.
    </EmptyState>
  )
}
