import { expect, test } from 'vitest'
import { LivePriceStore } from './live-prices.ts'

const at = '2026-03-02T14:00:00.000Z'
const atMs = Date.parse(at)
const formatBefore = (ms: number) => new Date(atMs - ms).toISOString()
const createPrice = (price: string, ageMs: number) => ({
  venue: 'binance',
  market: 'BTC/USDT',
  price,
  at: formatBefore(ageMs),
})

test('live prices: compute the age of a price from server times when the clock of the page is wrong', () => {
  const store = new LivePriceStore()
  const clockErrorMs = 3_600_000
  store.apply({ at, prices: [createPrice('5', 4_000)] }, atMs + clockErrorMs)
  expect(store.find('binance BTCUSDT')).toMatchObject({ price: '5', atMs: atMs + clockErrorMs - 4_000 })
})

test('live prices: keep the newer price and its age when the clock of the page was set back in between', () => {
  const store = new LivePriceStore()
  store.apply({ at, prices: [createPrice('5', 2_000)] }, atMs + 600_000)
  store.apply({ at, prices: [createPrice('6', 1_000)] }, atMs)
  expect(store.find('binance BTCUSDT')).toMatchObject({ price: '6', atMs: atMs - 1_000 })
})

test('live prices: keep the newer price when an older one arrives later', () => {
  const store = new LivePriceStore()
  store.apply({ at, prices: [createPrice('5', 1_000)] }, atMs)
  store.apply({ at, prices: [createPrice('4', 2_000)] }, atMs)
  expect(store.find('binance BTCUSDT')?.price).toBe('5')
  store.apply({ at, prices: [createPrice('6', 0)] }, atMs)
  expect(store.find('binance BTCUSDT')?.price).toBe('6')
})

test('live prices: forget all prices and notify the subscribers when the store is cleared', () => {
  const store = new LivePriceStore()
  let changes = 0
  store.subscribe(() => void changes++)
  store.apply({ at, prices: [createPrice('5', 0)] }, atMs)
  store.clear()
  expect(store.find('binance BTCUSDT')).toBeNull()
  expect(changes).toBe(2)
})
