// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { defaultPreferences } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { CompactRow } from './compact-row.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('CompactRow: truncates the asset, not the horizon, when a phone has too little space for both', () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  const alert = getAlert(1, {
    prediction: {
      ...{ metric: 'maxExcursion', comparison: 'gte', threshold: 1.1, candleSeconds: 60, horizonSeconds: 300 },
      ...{ venue: 'binance', market: 'ETHUSDT' },
      ...{ startsAt: '2026-11-21T14:01:00.000Z', resolveBy: '2026-11-21T14:30:00.000Z' },
    },
  })
  render(
    <QueryClientProvider client={client}>
      <CompactRow entry={{ id: alert.id, alert, isRead: true }} isOpen={false} onToggle={() => {}} />
    </QueryClientProvider>,
  )
  expect(screen.getByText('ETH/USDT', { ignore: ':not(.truncate)' })).toBeDefined()
  const horizon = screen.getByText('5 min')
  expect(horizon.classList).toContain('phone:shrink-0')
  expect(horizon.parentElement?.classList).toContain('phone:flex')
})
