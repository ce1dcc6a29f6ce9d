// @vitest-environment happy-dom
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { defaultPreferences } from '@tocsin/protocol'
import { afterEach, expect, test } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { streamStatus } from '../../stream/stream-status.ts'
import { useRefetchNewAlerts } from './use-fresh-alerts.ts'

const at = '2026-11-21T14:32:07.000Z'
afterEach(() => {
  cleanup()
  streamStatus.setState('offline', false, at)
  localStorage.clear()
})

/** Runs the hook and returns the size of the log in the query cache. */
function useKnownSize() {
  useRefetchNewAlerts()
  return useQuery(queries.logHead).data?.size
}

test.each([
  ['refetches', 'no stream is needed', 'offline', false, true, true],
  ['refetches', 'the stream reconnects', 'reconnecting', true, true, true],
  ['refetches', 'another tab has the stream', 'offline', true, true, true],
  ['does not refetch', 'the stream is live', 'live', true, true, false],
  ['does not refetch', 'real-time alerts are off', 'offline', false, false, false],
] as const)('useRefetchNewAlerts: %s the newest alerts after the log grows when %s', async (...[, , ...row]) => {
  const [state, isWanted, realTimeAlerts, isRefetched] = row
  streamStatus.setState(state, isWanted, at)
  const client = createQueryClient()
  // The hook reads only these fields of the head.
  const growLog = (size: number) => client.setQueryData<object>(queries.logHead.queryKey, { size, anchored: { size } })
  growLog(1)
  client.setQueryData(queries.preferences.queryKey, { ...defaultPreferences, realTimeAlerts })
  client.setQueryData(queries.recentAlerts.queryKey, [])
  const { result } = renderHook(useKnownSize, {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  growLog(2)
  await expect.poll(() => act(async () => result.current)).toBe(2)
  expect(client.getQueryState(queries.recentAlerts.queryKey)?.isInvalidated).toBe(isRefetched)
})
