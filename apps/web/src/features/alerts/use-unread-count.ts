import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { useArrivals } from './arrivals.ts'

/**
 * Returns the number of unread alerts: the count of the server plus the alerts that the stream has
 * delivered since.
 */
export function useUnreadCount(): number {
  const { data } = useQuery(queries.unread)
  const { arrivedAlerts } = useArrivals(data)
  return data ? Math.max(0, data.count + arrivedAlerts.length) : 0
}
