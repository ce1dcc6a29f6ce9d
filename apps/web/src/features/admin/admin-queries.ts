import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ResponseOf } from '@tocsin/protocol'
import { call } from '../../api.ts'
import { queries } from '../../queries.ts'

const pollMs = 30_000
const anchorPollMs = 10_000
const newest = 100

const statsKey = ['/api/admin/stats'] as const
const alertsKey = ['/api/alerts'] as const

export const adminQueries = {
  stats: queryOptions({
    queryKey: statsKey,
    // The list can be long: it is read again when there is more of it, not by the clock.
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<ResponseOf<'adminStats'>>(statsKey)
      const stats = await call('adminStats', { signal })
      const hasGrown = before !== undefined && before.totalAlerts !== stats.totalAlerts
      if (hasGrown) void client.invalidateQueries({ queryKey: alertsKey, exact: true })
      return stats
    },
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  alerts: queryOptions({
    queryKey: alertsKey,
    queryFn: ({ signal }) => call('listAlerts', { signal }),
    refetchInterval: ({ state }) => {
      const waits = state.data?.slice(0, newest).some(({ avalancheTx }) => avalancheTx === null)
      return waits ? anchorPollMs : false
    },
    refetchOnMount: 'always',
  }),
}

/** After whatever an admin changed about alerts. */
export function readAlertsAgain(client: QueryClient): void {
  for (const queryKey of [alertsKey, statsKey, queries.status.queryKey, queries.logHead.queryKey]) {
    void client.invalidateQueries({ queryKey, exact: true })
  }
}
