// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { livePricesQuery } from '../../stream/live-prices.ts'
import { type CandleRow, useCandles } from './candles.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const endMs = Date.parse('2026-03-02T14:00:00.000Z')
const binanceMarket = { venue: 'binance', market: 'BTCUSDT' }
const rows: CandleRow[] = [0, 60].map((seconds) => [endMs / 1_000 - 600 + seconds, '1', '2', '1', '2', '3'])

test('useCandles: shows the loaded candles while another range loads, and no candles of another market', async () => {
  let answer: () => Response | Promise<Response> = () => Response.json({ candles: rows })
  vi.stubGlobal('fetch', async () => answer())
  const client = createQueryClient()
  client.setQueryData(livePricesQuery.queryKey, true)
  const initialProps = { venueMarket: binanceMarket, hours: 1 }
  const { result, rerender } = renderHook(
    ({ venueMarket, hours }) => useCandles(venueMarket, { from: endMs - hours * HOUR_MS, to: endMs }),
    {
      initialProps,
      wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
    },
  )
  await expect.poll(() => act(async () => result.current)).toEqual({ kind: 'read', rows })

  answer = () => new Promise(() => {})
  rerender({ ...initialProps, hours: 6 })
  expect(result.current).toEqual({ kind: 'read', rows })
  for (const change of [{ venue: 'okx' }, { market: 'BTCUSDC' }]) {
    rerender({ venueMarket: { ...binanceMarket, ...change }, hours: 6 })
    expect(result.current).toEqual({ kind: 'pending' })
  }
})
