import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { pulseKey } from '../alert/alert-queries.ts'

/**
 * Returns the number of all alerts in the last 24 hours, or null while it is loading. The status
 * counts only alerts that the user can read. For users without a subscription this excludes fresh
 * alerts, so the public counts are used: time and priority of every alert are public.
 */
export function useDayCount(): number | null {
  const { data: status } = useQuery(queries.status)
  const { data: pulse } = useQuery({
    queryKey: [pulseKey],
    queryFn: ({ signal }) => call('alertPulse', { signal }),
    enabled: status?.coverage === 'public',
  })
  if (!status) return null
  if (status.coverage !== 'public') return status.alerts.last24Hours
  return pulse ? Object.values(pulse.counts).reduce((sum, count) => sum + count) : null
}
