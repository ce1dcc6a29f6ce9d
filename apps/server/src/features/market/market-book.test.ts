import type { MarketMessage } from '@tocsin/protocol'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, test } from 'vitest'
import { createMarketBook } from './market-book.ts'

const startMs = Date.parse('2026-03-02T14:00:00.000Z')
const start = startMs / 1_000
let number = 0

type Tick = Extract<MarketMessage, { type: 'tick' }>
const createTick = (atMs: number, price: string, change: Partial<Tick> = {}): Tick => ({
  ...{ type: 'tick', venue: 'binance', market: 'BTC/USDT', number: ++number, at: startMs + atMs },
  ...{ price, amount: '0.5', takerSide: 'buy', ...change },
})

function createTestBook() {
  const book = createMarketBook()
  book.connected(startMs)
  return { book, apply: (message: MarketMessage, nowMs = startMs + DAY_MS) => book.apply(message, nowMs) }
}

const btc = { venue: 'binance', market: 'BTCUSDT' }

test('market book: refuses a tick more than a minute ahead of the clock', () => {
  const { book, apply } = createTestBook()
  expect(apply(createTick(MINUTE_MS + 1, '1'), startMs)).toBe(false)
  expect(book.prices()).toEqual([])
  expect(apply(createTick(MINUTE_MS, '1'), startMs)).toBe(true)
  expect(book.prices()).toMatchObject([{ price: '1' }])
})

test.each<[string, Tick[]]>([
  ['it is older', [createTick(5_000, '1'), createTick(4_000, '2')]],
  ['its number was seen', [createTick(5_000, '1', { number: 7 }), createTick(6_000, '2', { number: 7 })]],
  ['its number is lower', [createTick(5_000, '1', { number: 7 }), createTick(6_000, '2', { number: 6 })]],
  ['it is a day old', [createTick(5_000, '1'), createTick(-DAY_MS, '2')]],
])('market book: keeps the price when a tick arrives and %s', (_, ticks) => {
  const { book, apply } = createTestBook()
  for (const tickMessage of ticks) apply(tickMessage, startMs + 10_000)
  expect(book.prices()).toMatchObject([{ market: 'BTC/USDT', price: '1' }])
})

test('market book: takes lower trade numbers when the exchange has restarted its numbering', () => {
  const { book, apply } = createTestBook()
  apply(createTick(5_000, '1', { number: 1_000_000 }))
  apply({ type: 'gap', ...btc, from: startMs + 5_000, to: startMs + 6_001, restarted: true })
  apply(createTick(6_000, '2', { number: 20 }))
  apply(createTick(7_000, '3', { number: 20 }))
  expect(book.prices()).toMatchObject([{ market: 'BTC/USDT', price: '2' }])
})

test('market book: keeps at most 200 markets', () => {
  const { book, apply } = createTestBook()
  for (let index = 0; index < 300; index++) apply(createTick(0, '1', { market: `A${index}/USDT` }))
  expect(book.prices()).toHaveLength(200)
})

test('market book: returns only the newest price of a changed market, and only once', () => {
  const { book, apply } = createTestBook()
  for (let index = 0; index < 1_000; index++) apply(createTick(index, String(index + 1)))
  expect(book.drainChanges()).toEqual([
    { venue: 'binance', market: 'BTC/USDT', price: '1000', at: new Date(startMs + 999).toISOString() },
  ])
  expect(book.drainChanges()).toEqual([])
})

test('market book: aggregates ticks to one-minute bars with exact volumes', () => {
  const { book, apply } = createTestBook()
  const trades = [
    createTick(0, '10', { amount: '0.1' }),
    createTick(1_000, '9.5', { amount: '0.2' }),
    createTick(2_000, '100.25', { amount: '1' }),
    createTick(59_999, '99', { amount: '0.000000000000000001' }),
    createTick(120_000, '98'),
  ]
  for (const trade of trades) apply(trade)
  expect(book.listMinutes(btc, start, start + 180)).toEqual([
    [start, '10', '100.25', '9.5', '99', '1.300000000000000001'],
    [start + 120, '98', '98', '98', '98', '0.500000000000000000'],
  ])
  expect(book.listMinutes(btc, start, start + 120)).toHaveLength(1)
})

test.each<[string, (bed: ReturnType<typeof createTestBook>) => void]>([
  ['the source was connected later', ({ book }) => book.connected(startMs + 1)],
  ['a message was not understood', ({ book }) => book.lost(startMs + 90_000)],
  ['the source reports a gap', ({ apply }) => apply({ type: 'gap', ...btc, from: startMs, to: startMs + 1 })],
])('market book: returns no minutes for a period when %s', (_, loseData) => {
  const bed = createTestBook()
  bed.apply(createTick(1, '10'))
  expect(bed.book.listMinutes(btc, start, start + 60)).toHaveLength(1)
  loseData(bed)
  expect(bed.book.listMinutes(btc, start, start + 60)).toBeNull()
  expect(bed.book.prices()).toHaveLength(1)
  bed.apply(createTick(150_000, '11', { number: ++number }))
  expect(bed.book.listMinutes(btc, start + 120, start + 180)).toHaveLength(1)
})

test('market book: a gap in one market does not affect another market', () => {
  const { book, apply } = createTestBook()
  apply(createTick(1, '10'))
  apply({ type: 'gap', venue: 'okx', market: 'BTC/USDT', from: startMs, to: startMs + MINUTE_MS })
  expect(book.listMinutes(btc, start, start + 60)).toHaveLength(1)
  expect(book.listMinutes({ venue: 'okx', market: 'BTCUSDT' }, start, start + 60)).toBeNull()
})

test('market book: forgets minutes that no open prediction needs', () => {
  const { book, apply } = createTestBook()
  for (let minute = 0; minute < 1_000; minute++) apply(createTick(minute * MINUTE_MS, '1'))
  const keptFrom = start + (1_000 - 423) * 60
  expect(book.listMinutes(btc, keptFrom - 60, start + 60_000)).toBeNull()
  expect(book.listMinutes(btc, keptFrom, start + 60_000)).toHaveLength(423)
})
