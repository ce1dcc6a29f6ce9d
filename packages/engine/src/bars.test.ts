import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addGap, addTick, closeMinute, createBars, createMinuteOfCandle } from './bars.ts'
import type { Tick } from './tick.ts'

const T0 = 1_740_000_000_000 - (1_740_000_000_000 % 60_000)

const createTick = (number: number, seconds: number, price: number, overrides: Partial<Tick> = {}): Tick => ({
  type: 'tick',
  venue: 'binance',
  market: 'BTC/USDT',
  number,
  count: 1,
  at: T0 + seconds * 1000,
  price,
  amount: 1,
  takerSide: 'buy',
  ...overrides,
})

/** Creates bars and closes their first minute, which is incomplete. */
function openBars(venue: Tick['venue'] = 'binance') {
  const bars = createBars(venue)
  addTick(bars, createTick(1, -60, 100))
  closeMinute(bars)
  return bars
}

describe('addTick', () => {
  it.each([
    ['a duplicate number', [createTick(2, 1, 101), createTick(2, 1, 101)], { duplicates: 1, late: 0 }],
    ['a number below all others', [createTick(2, 1, 101), createTick(0, 1, 99)], { duplicates: 1, late: 0 }],
    [
      'duplicate aggregated trades',
      [createTick(5, 1, 101, { count: 4 }), createTick(4, 1, 101, { count: 2 })],
      { duplicates: 1, late: 0 },
    ],
    [
      'a duplicate of a late number',
      [createTick(4, 2, 101), createTick(3, 1, 9), createTick(3, 1, 9)],
      { duplicates: 1, late: 0 },
    ],
    ['a trade of a closed minute', [createTick(2, -1, 101)], { duplicates: 0, late: 1 }],
  ])('rejects and counts %s', (_, ticks, counters) => {
    const bars = openBars()
    expect(addTick(bars, ticks.at(-1) as Tick) && ticks.length === 1).toBe(false)
    const freshBars = openBars()
    const areAccepted = ticks.map((one) => addTick(freshBars, one))
    expect(areAccepted.at(-1)).toBe(false)
    expect(freshBars).toMatchObject(counters)
  })

  it('accepts late trades that fill a range of missing trade numbers in parts', () => {
    const bars = openBars()
    expect(addTick(bars, createTick(10, 5, 110))).toBe(true)
    expect(bars.missing).toEqual([[2, 9, T0 + 5000]])
    expect(addTick(bars, createTick(6, 3, 106, { count: 3 }))).toBe(true)
    expect(bars.missing).toEqual([
      [2, 3, T0 + 5000],
      [7, 9, T0 + 5000],
    ])
    expect(addTick(bars, createTick(3, 1, 103, { count: 2 }))).toBe(true)
    expect(addTick(bars, createTick(9, 4, 109, { count: 3 }))).toBe(true)
    expect(bars.missing).toEqual([])
  })

  it('rejects a trade older than the given minute, because that trade’s minute would never be closed', () => {
    const bars = createBars('binance')
    expect(addTick(bars, createTick(1, -240, 100), T0)).toBe(false)
    expect(bars).toMatchObject({ minute: -1, late: 1 })
    expect(addTick(bars, createTick(2, 30, 101), T0)).toBe(true)
    expect(closeMinute(bars)).toMatchObject({ at: T0, close: 101, incomplete: true })
  })

  it.each([
    ['is the newest trade', [createTick(2, -1, 101)], true],
    ['only fills a missing number', [createTick(3, 1, 100), createTick(2, -1, 101)], false],
  ])('rejects a trade of a closed minute, and marks the open minute by whether it %s', (_, ticks, incomplete) => {
    const bars = openBars()
    expect(ticks.map((one) => addTick(bars, one)).at(-1)).toBe(false)
    expect(closeMinute(bars).incomplete).toBe(incomplete)
    expect(closeMinute(bars).incomplete).toBe(false)
  })

  it('opens the minute of the trade when an earlier minute was never closed', () => {
    const bars = openBars()
    expect(addTick(bars, createTick(2, 630, 101), T0 + 600_000)).toBe(true)
    expect(closeMinute(bars)).toMatchObject({ at: T0 + 600_000, close: 101 })
  })

  it('keeps at most 32 ranges of missing trade numbers, so that memory stays constant', () => {
    const bars = openBars()
    for (let i = 1; i < 100; i++) addTick(bars, createTick(1 + 2 * i, 1, 100))
    expect(bars.missing).toHaveLength(32)
  })
})

describe('closeMinute', () => {
  it('returns open, high, low, close, volume and the volume that takers bought', () => {
    const bars = openBars()
    addTick(bars, createTick(2, 0, 102))
    addTick(bars, createTick(3, 30, 105, { amount: 2, takerSide: 'sell' }))
    addTick(bars, createTick(4, 59.9, 99))
    expect(closeMinute(bars)).toEqual({
      at: T0,
      open: 102,
      high: 105,
      low: 99,
      close: 99,
      volume: 4,
      takerBuyVolume: 2,
      incomplete: false,
    })
  })

  it('repeats the last close when there was no trade', () => {
    const bars = openBars()
    expect(closeMinute(bars)).toMatchObject({
      open: 100,
      high: 100,
      low: 100,
      close: 100,
      volume: 0,
      incomplete: false,
    })
  })

  it('keeps trades of the next minute that arrived before the close', () => {
    const bars = openBars()
    addTick(bars, createTick(2, 30, 101))
    addTick(bars, createTick(3, 60.5, 102))
    expect(closeMinute(bars)).toMatchObject({ close: 101, volume: 1 })
    expect(closeMinute(bars)).toMatchObject({ close: 102, volume: 1 })
  })

  it('returns the same minute for any order in which the trades arrive', () => {
    const trades = fc.array(
      fc.record({ second: fc.integer({ min: 0, max: 59 }), price: fc.integer({ min: 1, max: 99 }) }),
      {
        minLength: 1,
        maxLength: 20,
      },
    )
    fc.assert(
      fc.property(trades, fc.infiniteStream(fc.nat()), (list, order) => {
        const sortedTicks = [...list]
          .sort((a, b) => a.second - b.second)
          .map((one, i) => createTick(i + 2, one.second, one.price))
        const shuffledTicks = sortedTicks
          .map((one) => ({ one, key: order.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
        const a = openBars()
        const b = openBars()
        for (const one of sortedTicks) addTick(a, one)
        for (const { one } of shuffledTicks) addTick(b, one)
        expect(closeMinute(b)).toEqual(closeMinute(a))
      }),
      { seed: 18, numRuns: 200 },
    )
  })

  it.each([
    ['incomplete when its start is unknown', createBars('binance'), [createTick(1, 10, 100)], true],
    ['incomplete when numbers are missing', openBars(), [createTick(3, 10, 100)], true],
    [
      'complete when missing numbers arrive in time',
      openBars(),
      [createTick(3, 10, 100), createTick(2, 9, 100)],
      false,
    ],
    ['complete when the venue skips numbers', openBars('kraken'), [createTick(3, 10, 100, { venue: 'kraken' })], false],
  ])('marks a minute as %s', (_, bars, ticks, incomplete) => {
    for (const one of ticks) addTick(bars, one)
    expect(closeMinute(bars).incomplete).toBe(incomplete)
  })

  it('does not mark a minute as incomplete when trade numbers are missing only in an earlier minute', () => {
    const bars = openBars()
    addTick(bars, createTick(3, 10, 100))
    expect(closeMinute(bars).incomplete).toBe(true)
    addTick(bars, createTick(4, 70, 100))
    expect(closeMinute(bars).incomplete).toBe(false)
  })

  it('marks each minute as incomplete that overlaps a known gap', () => {
    const bars = openBars()
    addGap(bars, { from: T0 + 59_999, to: T0 + 60_001 })
    expect([closeMinute(bars), closeMinute(bars), closeMinute(bars)].map(({ incomplete }) => incomplete)).toEqual([
      true,
      true,
      false,
    ])
    expect(bars.gaps).toEqual([])
  })

  it('marks the minute of the oldest gap as incomplete, even after many gaps of later minutes', () => {
    const bars = openBars()
    for (let i = 0; i < 40; i++) {
      const from = T0 + i * 60_000
      addGap(bars, { from, to: from + 1_000 })
    }
    expect(bars.gaps).toHaveLength(32)
    const minutes = Array.from({ length: 41 }, () => closeMinute(bars).incomplete)
    expect(minutes).toEqual([...new Array(40).fill(true), false])
  })

  it('returns complete minutes again after the minute in which the exchange restarts its trade numbers', () => {
    const bars = openBars()
    const gap = { type: 'gap', venue: 'binance', market: 'BTC/USDT', from: T0 + 20_000, to: T0 + 30_001 } as const
    addTick(bars, createTick(5000, 20, 101, { count: 4998 }))
    addGap(bars, { ...gap, restarted: true })
    expect(bars.missing).toEqual([])
    expect([addTick(bars, createTick(20, 30, 103)), addTick(bars, createTick(21, 70, 104))]).toEqual([true, true])
    expect(closeMinute(bars)).toMatchObject({ close: 103, incomplete: true })
    expect(closeMinute(bars)).toMatchObject({ close: 104, volume: 1, incomplete: false })
  })
})

describe('createMinuteOfCandle', () => {
  const candle = {
    type: 'candle',
    venue: 'binance',
    market: 'BTC/USDT',
    at: T0,
    open: 1,
    high: 3,
    low: 1,
    close: 2,
  } as const

  it('returns the values of the candle and opens the next minute', () => {
    const bars = createBars('binance')
    const minute = createMinuteOfCandle(bars, { ...candle, volume: 8, takerBuyVolume: 5 })
    expect(minute).toMatchObject({
      at: T0,
      open: 1,
      high: 3,
      low: 1,
      close: 2,
      volume: 8,
      takerBuyVolume: 5,
      incomplete: false,
    })
    expect(bars).toMatchObject({ minute: T0 + 60_000, close: 2 })
  })

  it('assumes that takers bought half of the volume if the candle does not state their share', () => {
    expect(createMinuteOfCandle(createBars('binance'), { ...candle, volume: 8 }).takerBuyVolume).toBe(4)
  })
})
