import { z } from 'zod'
import { assets, type SimulatedAsset } from './assets.ts'
import type { Random } from './random.ts'

/**
 * Kinds of anomalies that are injected into the market. Each kind is meant to cause one type of
 * alert.
 */
const anomalyKind = z.enum(['jump', 'slide', 'volume', 'volatility', 'crash', 'dislocation', 'halt', 'pump'])
export type AnomalyKind = z.infer<typeof anomalyKind>

export const anomaly = z.strictObject({
  kind: anomalyKind,
  /** `BTC`, or null for all assets. */
  asset: z.string().nullable(),
  /** First minute, in milliseconds. */
  at: z.int(),
  minutes: z.int(),
  /**
   * Size, by kind. Price moves: their sum in units of the usual deviation of a minute, signed.
   * `volume` and `pump`: factor of the activity. `volatility`: variance that is added, as a
   * multiple of the usual variance. `dislocation`: percent.
   */
  size: z.number(),
})
export type Anomaly = z.infer<typeof anomaly>

/** Mean number of anomalies a day, over the four assets that trade from the beginning. */
const perDay: Record<AnomalyKind, number> = {
  jump: 2,
  slide: 1,
  volume: 2.5,
  volatility: 1.2,
  crash: 0.25,
  dislocation: 0.4,
  halt: 0.4,
  pump: 0.12,
}
const KINDS = Object.keys(perDay) as AnomalyKind[]
const EARLY = assets.filter(({ isEarly }) => isEarly).length
/** Kinds of anomalies that further assets have on their own. */
const OF_ANY_ASSET: ReadonlySet<AnomalyKind> = new Set(['jump', 'slide', 'volume', 'volatility'])
const MINUTES_PER_DAY = 1_440
/** The asset that is pumped: the one with the thinnest market. */
const PUMPED = 'XRP'

/**
 * Randomly decides whether an anomaly begins in this minute, and which one.
 * @param listed assets that trade
 */
export function drawAnomaly(random: Random, at: number, listed: readonly SimulatedAsset[]): Anomaly | null {
  let position = random.uniform() * MINUTES_PER_DAY
  for (const kind of KINDS) {
    position -= perDay[kind] * (OF_ANY_ASSET.has(kind) ? listed.length / EARLY : 1)
    if (position < 0) return createAnomaly(kind, random, at, listed)
  }
  return null
}

export function createAnomaly(
  kind: AnomalyKind,
  random: Random,
  at: number,
  listed: readonly SimulatedAsset[],
): Anomaly {
  const between = (low: number, high: number) => low + (high - low) * random.uniform()
  const sign = random.uniform() < 0.5 ? -1 : 1
  const asset = pick(listed, random).name
  const onBoth = pick(
    assets.filter(({ onSecond }) => onSecond),
    random,
  ).name
  switch (kind) {
    case 'jump':
      return { kind, asset, at, minutes: 2, size: sign * between(9, 20) }
    case 'slide':
      return { kind, asset, at, minutes: Math.round(between(25, 50)), size: sign * between(22, 45) }
    case 'volume':
      return { kind, asset, at, minutes: Math.round(between(3, 8)), size: between(6, 16) }
    case 'volatility':
      return { kind, asset, at, minutes: Math.round(between(20, 60)), size: between(8, 20) }
    case 'crash':
      return { kind, asset: null, at, minutes: Math.round(between(12, 25)), size: -between(35, 80) }
    case 'dislocation':
      return { kind, asset: onBoth, at, minutes: Math.round(between(90, 200)), size: sign * between(0.8, 2) }
    case 'halt':
      return { kind, asset: onBoth, at, minutes: Math.round(between(15, 45)), size: 0 }
    case 'pump':
      return { kind, asset: PUMPED, at, minutes: 3, size: between(120, 250) }
  }
}

function pick(list: readonly SimulatedAsset[], random: Random): SimulatedAsset {
  const found = list[Math.floor(random.uniform() * list.length)]
  if (!found) throw new Error('There is no asset')
  return found
}
