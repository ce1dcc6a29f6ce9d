import { describe, expect, it } from 'vitest'
import { computeEndTime, computeStartTime, formatSymbol, predict, roundThreshold } from './prediction.ts'
import { computeWantedPriority, spendBudget, type UrgentAlertTimes } from './priority.ts'

const DAY = 86_400_000
const T0 = Date.parse('2026-03-02T14:30:00.000Z')

describe('roundThreshold', () => {
  it.each([
    [0, null],
    [-1, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [0.00000099, null],
    [0.0000011, 0.0000011],
    [1.40499, 1.4],
    [123_456_789, 123_000_000],
    [9.999e14, 1e15],
    [2e15, null],
  ])('turns %d into %s', (value, rounded) => {
    expect(roundThreshold(value)).toBe(rounded)
  })
})

describe('computeStartTime', () => {
  it.each([
    [0, '14:31'],
    [54_999, '14:31'],
    [55_000, '14:31'],
    [55_001, '14:32'],
  ])(
    'returns the first full minute at least five seconds after an alert that is raised %d ms after 14:30',
    (after, start) => {
      expect(new Date(computeStartTime(T0 + after)).toISOString().slice(11, 16)).toBe(start)
    },
  )
})

describe('formatSymbol', () => {
  it.each([
    ['binance', 'BTC/USDT', 'BTCUSDT'],
    ['binance-usdm', 'BTC/USDT', 'BTCUSDT'],
    ['coinbase', 'BTC/USDT', 'BTC-USDT'],
    ['okx', 'BTC/USDT', 'BTC-USDT'],
    ['kraken', 'BTC/USDT', 'XBTUSDT'],
    ['kraken', 'DOGE/BTC', 'XDGXBT'],
    ['kraken', 'ETH/USD', 'ETHUSD'],
    ['simulated', 'BTC/USDT', 'BTCUSDT'],
  ] as const)('for venue %s and market %s returns the symbol %s', (venue, market, symbol) => {
    expect(formatSymbol({ venue, market })).toBe(symbol)
  })
})

describe('predict', () => {
  it('makes no prediction when the threshold is not allowed', () => {
    expect(predict('volume', 0, { venue: 'binance', market: 'BTC/USDT' }, T0, 3600)).toBeNull()
  })

  it('returns a prediction with the keys and times of the specification', () => {
    const other = { venue: 'coinbase', market: 'BTC/USD' } as const
    const prediction = predict('spread', 0.6543, { venue: 'binance', market: 'BTC/USDC' }, T0, 3600, other)
    expect(prediction).toEqual({
      metric: 'spread',
      comparison: 'gte',
      threshold: 0.654,
      venue: 'binance',
      market: 'BTCUSDC',
      other: { venue: 'coinbase', market: 'BTC-USD' },
      candleSeconds: 60,
      startsAt: '2026-03-02T14:31:00.000Z',
      horizonSeconds: 3600,
      resolveBy: '2026-03-02T15:46:00.000Z',
    })
    expect(prediction && computeEndTime(prediction)).toBe(T0 + 61 * 60_000)
  })
})

describe('priority', () => {
  it.each([
    [3, 0.4, 0.1, 'low'],
    [3, 0.5, 0.1, 'medium'],
    [4, 0.5, 0.1, 'high'],
    [5, 0.5, 0.1, 'critical'],
    [5, 0.5, 0.5, 'critical'],
  ])('of surprise %d, confidence %d and breadth %d is %s', (score, confidence, breadth, priority) => {
    expect(computeWantedPriority(score, confidence, breadth)).toBe(priority)
  })

  it('is lowered beyond one critical alert per week and one high alert per day for each asset', () => {
    const budgets: UrgentAlertTimes = {}
    const spendAtDay = (priority: 'critical' | 'high' | 'low', day: number) =>
      spendBudget(budgets, 'BTC', priority, 20_000 * DAY + day * DAY)
    expect([
      spendAtDay('critical', 0),
      spendAtDay('critical', 0),
      spendAtDay('critical', 0.5),
      spendAtDay('high', 0.9),
    ]).toEqual(['critical', 'high', 'medium', 'medium'])
    expect([
      spendAtDay('high', 1),
      spendAtDay('critical', 6.9),
      spendAtDay('critical', 7),
      spendAtDay('low', 7),
    ]).toEqual(['high', 'high', 'critical', 'low'])
    expect(spendBudget(budgets, 'ETH', 'critical', 20_000 * DAY)).toBe('critical')
  })
})
