import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { queries } from '../../api/queries.ts'
import { adminQueries, listKeys } from './admin-queries.ts'
import { refreshAfterAlertChange, refreshAfterChange, refreshAfterConnect } from './refresh.ts'

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
