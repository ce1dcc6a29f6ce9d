// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { afterEach, expect, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { createQueryClient } from '../../api/queries.ts'
import { useOrder } from './use-order.ts'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('useOrder: polls every 1.5 seconds when a payment begins, however long the order was shown before', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const advanceClock = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  let order = sampleOrder
  let pollCount = 0
  vi.stubGlobal('fetch', async (url: string) => {
    if (url.startsWith('/api/orders?')) return Response.json({ items: [order], next: null })
    pollCount += 1
    return Response.json(order)
  })
  const client = createQueryClient()
  renderHook(() => useOrder(order.id, true), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  // The first call loads the module of the call, which takes real time.
  await act(() => vi.dynamicImportSettled())
  await advanceClock(3 * MINUTE_MS)
  expect(pollCount, 'slow polls before the payment').toBeGreaterThanOrEqual(45)
  order = { ...order, isPending: true }
  await advanceClock(4_000)
  pollCount = 0
  await advanceClock(15_000)
  expect(pollCount).toBeGreaterThanOrEqual(9)
})
