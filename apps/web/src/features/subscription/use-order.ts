import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useEffect } from 'react'
import { queries } from '../../queries.ts'
import { pauseMs } from './order-standing.ts'

/** The order, read again as long as something may happen to it. */
export function useOrder(id: string | null, isWatched: boolean): Order | null {
  const queryClient = useQueryClient()
  const { data: list } = useQuery(queries.orders)
  const { data } = useQuery({
    ...queries.order(id ?? ''),
    enabled: id !== null,
    refetchInterval: ({ state }) => pauseMs(state.data, state.dataUpdateCount, isWatched),
  })
  const order = id === null ? null : (data ?? list?.items.find((item) => item.id === id) ?? null)
  useEffect(() => {
    if (data) putIntoList(queryClient, data)
  }, [queryClient, data])
  return order
}

/** Makes an answer of the server what all parts of the page show. */
export function keepOrder(queryClient: QueryClient, order: Order): void {
  queryClient.setQueryData(queries.order(order.id).queryKey, order)
  putIntoList(queryClient, order)
}

function putIntoList(queryClient: QueryClient, order: Order): void {
  queryClient.setQueryData(queries.orders.queryKey, (page) => {
    if (!page) return page
    const isListed = page.items.some(({ id }) => id === order.id)
    const items = isListed ? page.items.map((item) => (item.id === order.id ? order : item)) : [order, ...page.items]
    return { ...page, items }
  })
}
