import { describe, expect, it } from 'vitest'
import { createCalmCandles, getRandom, MINUTE, mergeByTime, T0 } from '../test/support/engine-test-bed.ts'
import { createEngine } from './engine.ts'
import { createNoveltyMemory, learnWindow, type NoveltyMemory } from './novelty.ts'
import type { MarketMeasures } from './statistics.ts'

const GROWTH = 2 ** (1 / 10_080)

const createMeasures = (price: number, volume: number): MarketMeasures => ({
  moves: [],
  prices: [price, price, price, price],
  volumes: [volume, volume, volume],
  volatility: 1,
  takerBuyShare: 0.5,
})

/**
 * Creates a memory that has learnt a day of windows in which volume and price moves rise together.
 */
function createTrainedMemory(): NoveltyMemory {
  const novelty = createNoveltyMemory()
  const random = getRandom(7)
  for (let i = 0; i < 1440; i++) {
    const size = 4 * random()
    learnWindow(novelty, createMeasures(size, size + 0.2 * random()), GROWTH)
  }
  return novelty
}

describe('learnWindow', () => {
  it('returns a surprise of 0 before it has learnt a window', () => {
    expect(learnWindow(createNoveltyMemory(), createMeasures(50, 50), GROWTH)).toBe(0)
  })

  it.each([
    ['a usual move with its volume', createMeasures(3, 3.1), 0, 0.5],
    ['a usual move without volume', createMeasures(3, 0.1), 3, 6],
    ['usual volume without a move', createMeasures(0.1, 3), 3, 6],
    ['a fall as usual as a rise', createMeasures(-3, 3.1), 0, 0.5],
  ])('returns a surprise within the expected limits for %s', (_, window, least, most) => {
    const score = learnWindow(createTrainedMemory(), window, GROWTH)
    expect(score).toBeGreaterThanOrEqual(least)
    expect(score).toBeLessThanOrEqual(most)
  })

  it('returns less surprise when a window repeats', () => {
    const novelty = createTrainedMemory()
    const first = learnWindow(novelty, createMeasures(3, 0.1), GROWTH)
    for (let i = 0; i < 100; i++) learnWindow(novelty, createMeasures(3, 0.1), GROWTH)
    expect(learnWindow(novelty, createMeasures(3, 0.1), GROWTH)).toBeLessThan(first / 2)
  })

  it('keeps a constant amount of memory', () => {
    const novelty = createTrainedMemory()
    const random = getRandom(9)
    const readMemorySize = () => novelty.memory.low.length
    for (let i = 0; i < 5000; i++) learnWindow(novelty, createMeasures(20 * random(), 20 * random()), GROWTH)
    expect(readMemorySize()).toBe(64)
  })
})

it('a snapshot of version 1 keeps its markets and predictions, and restarts learning of confidence', () => {
  const events = mergeByTime(createCalmCandles('BTC/USDT', 1500, 1))
  const engine = createEngine()
  for (const event of events) engine.step(event)
  const { tally: _, ...state } = JSON.parse(engine.snapshot())
  for (const market of Object.values<Record<string, unknown>>(state.markets)) delete market.novelty
  const prediction = { startsAt: new Date(T0).toISOString(), horizonSeconds: 3600 }
  const features = state.confidence.model.weights.slice(1).fill(1)
  state.open.push({ id: 'old', prediction, features, raw: 0.4, reported: true })
  const continuedEngine = createEngine(undefined, JSON.stringify({ ...state, version: 1 }))
  continuedEngine.step({ type: 'outcome', id: 'old', verdict: 'came-true' })
  continuedEngine.step({ type: 'clock', at: T0 + 1502 * MINUTE })
  const { version, open, confidence } = JSON.parse(continuedEngine.snapshot())
  expect([version, open, confidence.judged]).toEqual([2, [], [{ score: 0.4, outcome: 1 }]])
  const { weights, covariance } = confidence.model
  const getCovarianceRow = (i: number) => covariance.slice(i * weights.length, (i + 1) * weights.length)
  expect(getCovarianceRow(0)).toEqual(weights.map((_: number, i: number) => expect.closeTo(getCovarianceRow(i)[0], 12)))
})

it('a snapshot of a later version is rejected', () => {
  const snapshot = createEngine().snapshot().replace('"version":2', '"version":3')
  expect(() => createEngine(undefined, snapshot)).toThrow(
    'Unsupported version 3 of the engine snapshot: expected 1 or 2',
  )
})
