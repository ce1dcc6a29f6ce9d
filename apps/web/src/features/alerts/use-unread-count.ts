import { useQuery } from '@tanstack/react-query'
import { queries } from '../../queries.ts'
import { useArrivals } from './arrivals.ts'

/** How many alerts wait to be read: what the server has counted, and what the stream has brought since. */
export function useUnreadCount(): number {
  const { data } = useQuery(queries.unread)
  const arrived = useArrivals(data)
  return data ? Math.max(0, data.count + arrived.length) : 0
}
