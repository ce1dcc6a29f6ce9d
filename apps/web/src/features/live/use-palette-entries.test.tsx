// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { cleanup, renderHook } from '@testing-library/react'
import { defaultPreferences } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import type { Prediction } from '../prediction/prediction-names.ts'
import { usePaletteEntries } from './use-palette-entries.ts'

vi.mock('../../wallet/wallet.tsx', () => ({ useWalletActions: () => ({}) }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

const prediction: Prediction = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1.1,
  candleSeconds: 60,
  horizonSeconds: 300,
  venue: 'binance',
  market: 'BTCUSDT',
  startsAt: '2026-11-21T14:01:00.000Z',
  resolveBy: '2026-11-21T14:30:00.000Z',
}

test('usePaletteEntries: an asset has the price of the market of its newest prediction, also if another of its alerts has none', () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  const client = createQueryClient()
  // Only these fields are read.
  const user = { id: 'u1', isAdmin: false }
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user })
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  client.setQueryData(queries.recentAlerts.queryKey, [
    getAlert(5, { asset: 'SOL/USDT' }),
    getAlert(4, { asset: 'SOL/USDT', prediction: { ...prediction, market: 'SOLUSDT' } }),
    getAlert(3, { asset: 'BTC/USDT', prediction }),
    getAlert(2, { asset: 'BTC/USDT', prediction: { ...prediction, venue: 'okx' } }),
    getAlert(1, { asset: 'BTC/USDT' }),
  ])
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  const { result } = renderHook(() => usePaletteEntries(''), {
    wrapper: ({ children }) => (
      <QueryClientProvider client={client}>
        <AuthProvider>
          <RouterContextProvider router={router}>{children}</RouterContextProvider>
        </AuthProvider>
      </QueryClientProvider>
    ),
  })
  const assets = result.current.find(({ heading }) => heading === 'Assets')?.entries
  expect(assets?.map(({ label, venueMarket }) => [label, venueMarket?.venue, venueMarket?.market])).toEqual([
    ['SOL/USDT', 'binance', 'SOLUSDT'],
    ['BTC/USDT', 'binance', 'BTCUSDT'],
  ])
})
