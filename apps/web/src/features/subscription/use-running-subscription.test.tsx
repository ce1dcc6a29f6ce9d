// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import type { Subscription } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { useRunningSubscription } from './use-running-subscription.ts'

vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const useSubscriptionTwice = () => [useRunningSubscription(), useRunningSubscription()]

test('useRunningSubscription: returns null when the plan ends, and refetches the plan once', async () => {
  vi.useFakeTimers()
  const endTime = new Date(Date.now() + 5000).toISOString()
  const subscription = { id: 's-1', isActive: true, endTime } as Subscription
  // The server still returns the subscription, like a server whose clock is behind.
  const fetchMock = vi.fn(async (_url: string) => Response.json(subscription))
  vi.stubGlobal('fetch', fetchMock)
  const client = createQueryClient()
  client.setQueryData(queries.activeSubscription('u-1').queryKey, subscription)
  const { result } = renderHook(useSubscriptionTwice, {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  await act(() => vi.advanceTimersByTimeAsync(3900))
  expect(result.current).toEqual([subscription, subscription])
  expect(fetchMock).not.toHaveBeenCalled()
  await act(() => vi.advanceTimersByTimeAsync(3000))
  expect(result.current).toEqual([null, null])
  await act(() => vi.advanceTimersByTimeAsync(MINUTE_MS / 2))
  expect(fetchMock).toHaveBeenCalledOnce()
})
