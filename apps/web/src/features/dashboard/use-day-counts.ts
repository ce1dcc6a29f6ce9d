import { useQuery } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { queries } from '../../queries.ts'
import { pulseKey } from '../alerts/alert-queries.ts'

/**
 * Alerts of the last 24 hours and how many of them are critical; null until it is known. The status
 * counts what the reader may read. Without a plan that leaves out fresh alerts, of which everybody
 * may know time and priority, so the public counts are shown instead.
 */
export function useDayCounts(): { total: number; critical: number } | null {
  const { data: status } = useQuery(queries.status)
  const { data: pulse } = useQuery({
    queryKey: [pulseKey],
    queryFn: ({ signal }) => call('alertPulse', { signal }),
    enabled: status?.coverage === 'public',
  })
  if (!status) return null
  if (status.coverage !== 'public')
    return { total: status.alerts.last24Hours, critical: status.alerts.criticalLast24Hours }
  if (!pulse) return null
  const total = Object.values(pulse.counts).reduce((sum, count) => sum + count)
  return { total, critical: pulse.counts.critical }
}
