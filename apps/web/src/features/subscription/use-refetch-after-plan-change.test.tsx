// @vitest-environment happy-dom
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { livePricesQuery } from '../../stream/live-prices.ts'
import { useRefetchAfterPlanChange } from './use-refetch-after-plan-change.ts'

vi.mock('../../wallet/wallet.tsx', () => ({ useWalletActions: () => ({ refreshBalance: async () => {} }) }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('useRefetchAfterPlanChange: refetches live prices when the account could not read prices before', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ at: new Date().toISOString(), prices: [] }))
  const client = createQueryClient()
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user: { id: 'u1' } })
  client.setQueryData(livePricesQuery.queryKey, false)
  const { result } = renderHook(
    () => ({ refetch: useRefetchAfterPlanChange(), hasPrices: useQuery(livePricesQuery).data }),
    {
      wrapper: ({ children }) => (
        <QueryClientProvider client={client}>
          <AuthProvider>{children}</AuthProvider>
        </QueryClientProvider>
      ),
    },
  )
  expect(result.current.hasPrices).toBe(false)
  await act(() => result.current.refetch())
  await expect.poll(() => result.current.hasPrices).toBe(true)
})
