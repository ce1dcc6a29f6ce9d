import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { queries } from '../../api/queries.ts'
import { adminQueries, listKeys } from './admin-queries.ts'
import { refreshAfterAlertChange, refreshAfterChange } from './refresh.ts'

const specified = [
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
  for (const queryKey of specified) client.setQueryData(queryKey, {})
  refresh(client)
  const stale = specified.filter((queryKey) => client.getQueryState(queryKey)?.isInvalidated)
  expect(stale).toEqual(specified)
})
