import { expect, test } from 'vitest'
import { adminQueries } from '../features/admin/admin-queries.ts'
import { logQueries } from '../features/transparency/log-queries.ts'
import { createQueryClient, queries } from './queries.ts'

test('createQueryClient: reads never become stale and are not repeated on focus, on a timer or after an error', () => {
  const { queries: readDefaults, mutations } = createQueryClient().getDefaultOptions()
  expect(readDefaults).toEqual({
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchInterval: false,
    retry: false,
  })
  expect(mutations).toEqual({ retry: false, networkMode: 'always' })
})

const id = '00000000-0000-4000-8000-000000000000'
const readQueries = {
  ...queries,
  ...logQueries,
  activeSubscription: queries.activeSubscription(id),
  order: queries.order(id),
  userAlerts: queries.userAlerts(id),
  anchors: logQueries.anchors(1),
  keys: logQueries.keys(1),
}

test('queries: subscription, unread count, status and log head are polled; only the subscription is retried', () => {
  const differingOptions = Object.entries(readQueries).flatMap(([name, query]) => {
    const { refetchInterval, staleTime, retry } = query as Record<string, unknown>
    const ownOptions = Object.entries({ refetchInterval, staleTime, retry }).filter(([, value]) => value !== undefined)
    return ownOptions.length > 0 ? [[name, Object.fromEntries(ownOptions)]] : []
  })
  expect(Object.fromEntries(differingOptions)).toEqual({
    chain: { staleTime: 300_000 },
    activeSubscription: { staleTime: 30_000, refetchInterval: 60_000, retry: 1 },
    unread: { refetchInterval: 60_000 },
    status: { refetchInterval: 30_000 },
    logHead: { refetchInterval: 30_000 },
  })
})

test('adminQueries: statistics and users are polled every 30 seconds', () => {
  expect(adminQueries.stats.refetchInterval).toBe(30_000)
  const { refetchInterval } = adminQueries.users({ search: '', filter: 'all', sort: 'newest' })
  if (typeof refetchInterval !== 'function') throw new Error('The list decides by its length')
  expect(refetchInterval({ state: { data: undefined } } as never)).toBe(30_000)
})
