import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { call, sentenceOf } from '../../api.ts'
import { ordersTexts } from '../../texts/orders.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { isUnderWay } from './order-standing.ts'
import { OrderTable } from './order-table.tsx'
import { usePurchase } from './purchase-provider.tsx'

const texts = ordersTexts.paymentHistory

const pageSize = 20
const followMs = 5000

const orderPages = infiniteQueryOptions({
  queryKey: ['/api/orders', 'pages'],
  queryFn: ({ pageParam, signal }) =>
    call('listOrders', { query: { limit: pageSize, ...(pageParam === null ? {} : { cursor: pageParam }) }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }) => next,
})

/** Everything that this account has ordered, and what became of it, newest first. */
export function PaymentHistory() {
  const query = useInfiniteQuery({
    ...orderPages,
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isUnderWay)) ? followMs : false),
  })
  const orders = query.data?.pages.flatMap(({ items }) => items)
  return (
    <Panel
      title={texts.payments}
      flush
      footer={query.hasNextPage || query.isFetchNextPageError ? <More {...query} /> : undefined}
    >
      {orders === undefined ? (
        query.isError ? (
          <div role="alert" className="flex flex-wrap items-center gap-3 p-5 text-base phone:p-4">
            {sentenceOf(query.error, texts.failedToFetchThePayments)}
            <Button busy={query.isFetching} onClick={() => void query.refetch()}>
              {query.isFetching ? texts.trying : texts.tryAgain}
            </Button>
          </div>
        ) : (
          <SkeletonRows rows={4} label={texts.loadingPayments} />
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
        {isFetchNextPageError ? texts.nextPage : texts.thereAreOlderOnes}
      </span>
      <Button size="sm" variant="ghost" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchingNextPage ? texts.loading : isFetchNextPageError ? texts.tryAgain : texts.loadMore}
      </Button>
    </>
  )
}

function NoPayments() {
  const { open } = usePurchase()
  return (
    <EmptyState title={texts.noPaymentsYet} action={<Button onClick={() => open()}>{texts.seeThePlans}</Button>}>
      {texts.plansThatYouOrder}
    </EmptyState>
  )
}
