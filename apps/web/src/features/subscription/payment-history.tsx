import { infiniteQueryOptions, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { getPlan, type Order, type Subscription } from '@tocsin/protocol'
import { FileCheck2 } from 'lucide-react'
import { call, getErrorMessage } from '../../api/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { Transaction } from '../../ui/transaction.tsx'
import { listRemarks, statusBadges } from './order-messages.ts'
import { isInProgress } from './order-state.ts'
import { formatIto } from './purchase.ts'
import { usePurchase } from './purchase-provider.tsx'

const pageSize = 20
const pollMs = 5000

const orderPagesQuery = infiniteQueryOptions({
  queryKey: ['/api/orders', 'pages'],
  queryFn: ({ pageParam, signal }) =>
    call('listOrders', { query: { limit: pageSize, ...(pageParam === null ? {} : { cursor: pageParam }) }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }) => next,
})

/** All orders of this account, newest first. */
export function PaymentHistory() {
  const query = useInfiniteQuery({
    ...orderPagesQuery,
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isInProgress)) ? pollMs : false),
  })
  const orders = query.data?.pages.flatMap(({ items }) => items)
  return (
    <Panel
      title="Payments"
      flush
      footer={query.hasNextPage ? <LoadMore query={query}>Older payments are not shown.</LoadMore> : undefined}
    >
      {orders === undefined ? (
        query.isError ? (
          <div role="alert" className="flex flex-wrap items-center gap-3 p-5 text-base phone:p-4">
            {getErrorMessage(query.error, 'Failed to fetch the payments')}
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

function NoPayments() {
  const { open } = usePurchase()
  return (
    <EmptyState title="No payments yet" action={<Button onClick={() => open()}>See the plans</Button>}>
      Plans that you order will be listed here, with their transactions and periods.
    </EmptyState>
  )
}

/** One row per order. On phones, status, transaction and period move below the plan. */
function OrderTable({ orders }: { orders: readonly Order[] }) {
  return (
    <Table caption="Payments, newest first">
      <thead>
        <tr>
          <Th className="w-px">
            Ordered <ZoneName />
          </Th>
          <Th>Plan</Th>
          <Th className="phone:hidden">Status</Th>
          <Th className="phone:hidden">
            Period <ZoneName />
          </Th>
          <Th className="phone:hidden">Transaction</Th>
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => (
          <OrderRow key={order.id} order={order} />
        ))}
      </tbody>
    </Table>
  )
}

function OrderRow({ order }: { order: Order }) {
  const remarks = listRemarks(order)
  const paidWei = BigInt(order.status === 'open' || order.paidWei === '0' ? order.priceWei : order.paidWei)
  return (
    <Tr className="h-14.5 animate-row">
      <Td className="pr-5 align-middle">
        <Time at={order.createdAt} show="date" className="block text-data" />
        <Time at={order.createdAt} show="relative" className="block text-hint text-2" />
      </Td>
      <Td className="py-2 pr-5 phone:pr-4">
        <span className="whitespace-nowrap">
          <span className="font-medium">{getPlan(order.planType).name}</span>
          <span className="text-2"> · {formatIto(paidWei)} ITO</span>
        </span>
        {remarks.length > 0 && <span className="block text-hint text-2">{capitalize(remarks.join(', '))}</span>}
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 md:hidden">
          <StatusBadge order={order} />
          <OrderTransaction order={order} />
          {order.subscription && <PaidPeriod subscription={order.subscription} />}
          {hasReceipt(order) && (
            <span className="-ml-2">
              <DownloadReceipt subscriptionId={order.subscription.id} />
            </span>
          )}
        </div>
      </Td>
      <Td className="pr-5 phone:hidden">
        <StatusBadge order={order} />
      </Td>
      <Td className="pr-5 phone:hidden">
        {order.subscription ? <PaidPeriod subscription={order.subscription} /> : <span className="text-2">—</span>}
      </Td>
      <Td className="phone:hidden">
        <span className="flex items-center justify-between gap-3">
          <OrderTransaction order={order} />
          {hasReceipt(order) && <DownloadReceipt subscriptionId={order.subscription.id} />}
        </span>
      </Td>
    </Tr>
  )
}

/** A receipt exists only while the payment is on the chain; a reorg removes it. */
function hasReceipt(order: Order): order is Order & { subscription: Subscription } {
  return order.status === 'paid' && order.subscription !== null
}

function StatusBadge({ order }: { order: Order }) {
  const { label, tone } = statusBadges[order.status]
  const count = order.status === 'confirming' ? ` ${order.confirmations}/${order.required}` : ''
  // The payment of this open order was sent but is not on the chain yet, so "Not paid" is wrong.
  if (order.status === 'open' && order.isPending) return <Badge tone="medium">Sent</Badge>
  return <Badge tone={tone}>{`${label}${count}`}</Badge>
}

function PaidPeriod({ subscription: { startTime, endTime, cancelledAt } }: { subscription: Subscription }) {
  return (
    <span className="text-data">
      <Time at={startTime} show="date" /> – <Time at={endTime} show="date" />
      {cancelledAt && (
        <span className="block text-hint text-2">
          Cancelled <Time at={cancelledAt} show="date" />
        </span>
      )}
    </span>
  )
}

function OrderTransaction({ order: { transactionHash, chainId } }: { order: Order }) {
  if (transactionHash === null) return <span className="text-2 phone:hidden">—</span>
  return <Transaction hash={transactionHash} chainId={chainId} />
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Saves the signed receipt of a paid period. /verification and the command line can check it. */
function DownloadReceipt({ subscriptionId }: { subscriptionId: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const receipt = await call('findReceipt', { params: { id: subscriptionId } })
      saveFile(`tocsin-receipt-${subscriptionId}.json`, JSON.stringify(receipt, null, 2))
    },
    onError: (error) => {
      const description = getErrorMessage(error, 'The receipt could not be fetched. Please try again.')
      toast({ title: 'Download Failed', description, variant: 'destructive' })
    },
  })
  return (
    <Button size="sm" variant="ghost" busy={isPending} onClick={() => mutate()}>
      <FileCheck2 aria-hidden size={16} strokeWidth={2.25} />
      Receipt
    </Button>
  )
}
