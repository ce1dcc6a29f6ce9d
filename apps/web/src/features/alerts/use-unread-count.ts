import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { useArrivals } from './arrivals.ts'

/** Number of unread alerts: the server's count plus the alerts that the stream delivered since. */
export function useUnreadCount(): number {
  const { data } = useQuery(queries.unread)
  const arrived = useArrivals(data)
  return data ? Math.max(0, data.count + arrived.length) : 0
}
