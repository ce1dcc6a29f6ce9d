import { createEngine } from '../../src/engine.ts'
import type { Alert, Finding } from '../../src/finding.ts'
import { defaultSettings, type Settings } from '../../src/settings.ts'
import type { Candle, EngineEvent, Tick, Venue } from '../../src/tick.ts'

export const MINUTE = 60_000
/** Midnight UTC. */
export const T0 = Date.parse('2026-03-02T00:00:00.000Z')

/** Returns a generator of pseudo-random numbers in [0, 1), which are equal for equal seeds. */
export function getRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Creates candles of a quiet market: moves of at most 0.05 % a minute, volumes from 5 to 15. */
export function createCalmCandles(market: string, minutes: number, seed: number, venue: Venue = 'simulated'): Candle[] {
  const random = getRandom(seed)
  let price = 100
  return Array.from({ length: minutes }, (_, i) => {
    const open = price
    price *= 1 + 0.001 * (random() - 0.5)
    const close = price
    const volume = 5 + 10 * random()
    const high = Math.max(open, close)
    return { type: 'candle', venue, market, at: T0 + i * MINUTE, open, high, low: Math.min(open, close), close, volume }
  })
}

/**
 * Multiplies the closes from minute `fromIndex` on by a factor, as a jump or as a slide over
 * `minutes`.
 */
export function movePrice(candles: readonly Candle[], fromIndex: number, factor: number, minutes = 1): Candle[] {
  return candles.map((candle, i) => {
    const part = Math.min(1, Math.max(0, (i - fromIndex + 1) / minutes))
    const scale = factor ** part
    const close = candle.close * scale
    const open = candle.open * factor ** Math.min(1, Math.max(0, (i - fromIndex) / minutes))
    return { ...candle, open, close, high: Math.max(open, close), low: Math.min(open, close) }
  })
}

export function multiplyVolume(
  candles: readonly Candle[],
  fromIndex: number,
  toIndex: number,
  factor: number,
): Candle[] {
  return candles.map((candle, i) =>
    i >= fromIndex && i < toIndex ? { ...candle, volume: candle.volume * factor } : candle,
  )
}

/** Merges the candles of several markets by minute, with a clock event after each minute. */
export function mergeByTime(...markets: (readonly Candle[])[]): EngineEvent[] {
  const minutes = Math.max(...markets.map((candles) => candles.length))
  return Array.from({ length: minutes }, (_, i): EngineEvent[] => [
    ...markets.flatMap((candles) => candles[i] ?? []),
    { type: 'clock', at: T0 + (i + 1) * MINUTE + 1000 },
  ]).flat()
}

export function run(events: readonly EngineEvent[], settings: Settings = defaultSettings): Finding[] {
  const engine = createEngine(settings)
  return events.flatMap((event) => [...engine.step(event)])
}

export const getAlerts = (findings: readonly Finding[]): Alert[] =>
  findings.filter((finding): finding is Alert => finding.type === 'alert')

/** Converts each candle to four ticks. */
export function getTicks(candles: readonly Candle[]): Tick[] {
  return candles.flatMap(({ venue, market, at, open, high, low, close, volume }, i) =>
    [open, high, low, close].map((price, j) => ({
      type: 'tick' as const,
      venue,
      market,
      number: 4 * i + j,
      count: 1,
      at: at + 1000 + j * 15_000,
      price,
      amount: volume / 4,
      takerSide: j % 2 === 0 ? ('buy' as const) : ('sell' as const),
    })),
  )
}
