import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { queries } from '../../api/queries.ts'
import { adminQueries, listKeys } from './admin-queries.ts'
import { refreshAfterAlertChange, refreshAfterChange, refreshAfterConnect, refreshAreas } from './refresh.ts'

afterEach(() => vi.unstubAllGlobals())

const expectedQueryKeys = [
  [listKeys.alerts],
  [listKeys.stats],
  [listKeys.users],
  adminQueries.chain.queryKey,
  queries.chain.queryKey,
]

test.each([
  ['any change', refreshAfterChange],
  ['a change of an alert', refreshAfterAlertChange],
])('admin area: alerts, stats, users and the chain are refetched after %s', (_name, refresh) => {
  const client = new QueryClient()
  for (const queryKey of expectedQueryKeys) client.setQueryData(queryKey, {})
  refresh(client)
  const staleQueryKeys = expectedQueryKeys.filter((queryKey) => client.getQueryState(queryKey)?.isInvalidated)
  expect(staleQueryKeys).toEqual(expectedQueryKeys)
})

test.each(['users', 'audit'] as const)(
  'admin area: the timeline of an open account is refetched when the area %s changes',
  (area) => {
    const client = new QueryClient()
    const { queryKey } = adminQueries.timeline('u-1')
    client.setQueryData(queryKey, { pages: [], pageParams: [] })
    refreshAreas(client, [area])
    expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true)
  },
)

test.each([
  [4, true],
  [5, false],
])('admin area: new statistics refetch a list of alerts with %i loaded pages: %o', async (pageCount, isRefetched) => {
  vi.stubGlobal('fetch', async () => Response.json({ totalAlerts: 2 }))
  const client = new QueryClient()
  client.setQueryData<object>([listKeys.stats], { totalAlerts: 1 })
  const listKey = [listKeys.alerts, 'page']
  client.setQueryData(listKey, { pages: Array(pageCount).fill({ items: [] }), pageParams: [] })
  await client.fetchQuery(adminQueries.stats)
  expect(client.getQueryState(listKey)?.isInvalidated).toBe(isRefetched)
})

/** Subscribes to a list as a page does. The test resolves each request through `resolvers`. */
function openList(client: QueryClient) {
  const resolvers: ((value: string) => void)[] = []
  const queryKey = [listKeys.alerts, 'page']
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: () => new Promise<string>((resolve) => resolvers.push(resolve)),
    retry: false,
  })
  const close = observer.subscribe(() => {})
  const shown = () => client.getQueryData(queryKey)
  return { resolvers, shown, close }
}

test('admin area: a list that was loaded before the socket opened is refetched when the socket opens', async () => {
  const client = new QueryClient()
  const { resolvers, shown, close } = openList(client)
  resolvers[0]?.('before')
  await expect.poll(shown).toBe('before')
  await refreshAfterConnect(client)
  expect(resolvers).toHaveLength(2)
  resolvers[1]?.('after')
  await expect.poll(shown).toBe('after')
  close()
})

test('admin area: a list that is still loading when the socket opens is requested again', async () => {
  const client = new QueryClient()
  const { resolvers, shown, close } = openList(client)
  await refreshAfterConnect(client)
  expect(resolvers).toHaveLength(2)
  resolvers[0]?.('before')
  resolvers[1]?.('after')
  await expect.poll(shown).toBe('after')
  close()
})
