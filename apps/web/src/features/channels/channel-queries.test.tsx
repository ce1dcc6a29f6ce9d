// @vitest-environment happy-dom
import { QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import type { ChannelDelivery } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ledgerQuery } from './channel-queries.ts'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test.each([
  ['is polled', 4, 8],
  ['is not polled', 5, 5],
])('ledgerQuery: a ledger %s when %i pages are loaded', async (_what, pageCount, requestCount) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const fullPage = Array.from({ length: 50 }, (_none, index) => ({ id: 50 - index })) as ChannelDelivery[]
  let requests = 0
  vi.stubGlobal('fetch', async () => {
    requests += 1
    return Response.json(fullPage)
  })
  const client = createQueryClient()
  const query = ledgerQuery('d-1', 'all')
  const pages = Array.from({ length: pageCount }, () => fullPage)
  client.setQueryData(query.queryKey, { pages, pageParams: pages.map(() => null) })
  renderHook(() => useInfiniteQuery(query), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  const countRequests = async (ms: number) => {
    await act(() => vi.advanceTimersByTimeAsync(ms))
    return requests
  }
  // All loaded pages are fetched on mount.
  await expect.poll(() => countRequests(1)).toBe(pageCount)
  await countRequests(5_000)
  await expect.poll(() => countRequests(1)).toBe(requestCount)
})
