// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { livePrices, livePricesQuery } from '../../stream/live-prices.ts'
import { useCurrentPrice } from './current-price.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const issuePrice = { venue: 'binance', market: 'BTC/USDT', price: '4' }

function renderCurrentPrice() {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const client = createQueryClient()
  const { result } = renderHook(() => useCurrentPrice(issuePrice), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  return { client, result, readShownKind: () => act(async () => result.current.kind) }
}

test('useCurrentPrice: returns an old price when the clock of the page was set back after the price arrived', async () => {
  const { client, readShownKind } = renderCurrentPrice()
  client.setQueryData(livePricesQuery.queryKey, true)
  const at = new Date().toISOString()
  const message = { at, prices: [{ ...issuePrice, at }] }
  act(() => livePrices.apply(message, Date.now() + 600_000))
  await expect.poll(readShownKind).toBe('old')
  act(() => livePrices.apply(message, Date.now()))
  await expect.poll(readShownKind).toBe('now')
})

test('useCurrentPrice: returns a price only while the account may read prices, and none after a change of account', async () => {
  const { client, result, readShownKind } = renderCurrentPrice()
  const at = new Date().toISOString()
  act(() => livePrices.apply({ at, prices: [{ ...issuePrice, price: '5', at }] }, Date.now()))
  expect(await readShownKind(), 'before the response for this account').toBe('none')
  client.setQueryData(livePricesQuery.queryKey, true)
  await expect.poll(readShownKind).toBe('now')
  expect(result.current).toMatchObject({ seen: { price: '5' }, change: 25 })
  client.setQueryData(livePricesQuery.queryKey, false)
  await expect.poll(readShownKind).toBe('none')
  client.setQueryData(livePricesQuery.queryKey, true)
  await expect.poll(readShownKind).toBe('now')
  void client.resetQueries()
  await expect.poll(readShownKind, { message: 'for another account' }).toBe('none')
})
