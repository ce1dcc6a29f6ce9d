import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useEffect, useRef } from 'react'
import { queries } from '../../api/queries.ts'
import { computePollIntervalMs, isInProgress } from './order-state.ts'

/** The order with this id, polled while it may change. */
export function useOrder(id: string | null, isWatched: boolean): Order | null {
  const queryClient = useQueryClient()
  const { data: orderPage } = useQuery(queries.orders)
  /** Number of updates before the payment was in progress. */
  const idleUpdates = useRef(0)
  const { data } = useQuery({
    ...queries.order(id ?? ''),
    enabled: id !== null,
    refetchInterval: ({ state: { data: polledOrder, dataUpdateCount } }) => {
      if (!polledOrder || !isInProgress(polledOrder)) idleUpdates.current = dataUpdateCount
      return computePollIntervalMs(polledOrder, dataUpdateCount - idleUpdates.current, isWatched)
    },
  })
  const order = id === null ? null : (data ?? orderPage?.items.find((item) => item.id === id) ?? null)
  useEffect(() => {
    if (data) cacheInList(queryClient, data)
  }, [queryClient, data])
  return order
}

/** Puts an order from a server response into the query cache. */
export function cacheOrder(queryClient: QueryClient, order: Order): void {
  queryClient.setQueryData(queries.order(order.id).queryKey, order)
  cacheInList(queryClient, order)
}

function cacheInList(queryClient: QueryClient, order: Order): void {
  queryClient.setQueryData(queries.orders.queryKey, (page) => {
    if (!page) return page
    const isListed = page.items.some(({ id }) => id === order.id)
    const items = isListed ? page.items.map((item) => (item.id === order.id ? order : item)) : [order, ...page.items]
    return { ...page, items }
  })
}
