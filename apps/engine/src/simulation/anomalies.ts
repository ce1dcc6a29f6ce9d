import { z } from 'zod'
import { assets, EARLY_COUNT, type SimulatedAsset } from './assets.ts'
import type { Random } from './random.ts'

/**
 * Kinds of anomalies that are injected into the market. Each kind is meant to cause one type of
 * alert.
 */
const anomalyKindSchema = z.enum(['jump', 'slide', 'volume', 'volatility', 'crash', 'dislocation', 'halt', 'pump'])
export type AnomalyKind = z.infer<typeof anomalyKindSchema>

export const anomalySchema = z.strictObject({
  kind: anomalyKindSchema,
  /** `BTC`, or null for all assets. */
  asset: z.string().nullable(),
  /** First minute, in milliseconds. */
  at: z.int(),
  minutes: z.int(),
  /**
   * Size, by kind. `jump`, `slide` and `crash`: whole price move, signed, as a multiple of the
   * usual deviation of a minute. `volume` and `pump`: factor of the activity. `volatility`:
   * variance that is added, as a multiple of the usual variance. `dislocation`: percent.
   */
  size: z.number(),
})
export type Anomaly = z.infer<typeof anomalySchema>

/** Mean number of anomalies a day, over the four assets that trade from the beginning. */
const ratesPerDay: Record<AnomalyKind, number> = {
  jump: 2,
  slide: 1,
  volume: 2.5,
  volatility: 1.2,
  crash: 0.25,
  dislocation: 0.4,
  halt: 0.4,
  pump: 0.12,
}
const KINDS = Object.keys(ratesPerDay) as AnomalyKind[]
/** Kinds whose rate is proportional to the number of listed assets. Other rates are constant. */
const ANY_ASSET_KINDS: ReadonlySet<AnomalyKind> = new Set(['jump', 'slide', 'volume', 'volatility'])
const MINUTES_PER_DAY = 1_440
/** The asset that is pumped: the one with the thinnest market. */
const PUMPED_ASSET = 'XRP'

/**
 * Randomly decides whether an anomaly begins in this minute, and which one.
 * @param listedAssets assets that trade
 */
export function drawAnomaly(random: Random, at: number, listedAssets: readonly SimulatedAsset[]): Anomaly | null {
  let position = random.uniform() * MINUTES_PER_DAY
  for (const kind of KINDS) {
    position -= ratesPerDay[kind] * (ANY_ASSET_KINDS.has(kind) ? listedAssets.length / EARLY_COUNT : 1)
    if (position < 0) return createAnomaly(kind, random, at, listedAssets)
  }
  return null
}

export function createAnomaly(
  kind: AnomalyKind,
  random: Random,
  at: number,
  listedAssets: readonly SimulatedAsset[],
): Anomaly {
  const drawBetween = (low: number, high: number) => low + (high - low) * random.uniform()
  const sign = random.uniform() < 0.5 ? -1 : 1
  const asset = pickAsset(listedAssets, random).name
  const assetOnBoth = pickAsset(
    assets.filter(({ onSecond }) => onSecond),
    random,
  ).name
  switch (kind) {
    case 'jump':
      return { kind, asset, at, minutes: 2, size: sign * drawBetween(9, 20) }
    case 'slide':
      return { kind, asset, at, minutes: Math.round(drawBetween(25, 50)), size: sign * drawBetween(22, 45) }
    case 'volume':
      return { kind, asset, at, minutes: Math.round(drawBetween(3, 8)), size: drawBetween(6, 16) }
    case 'volatility':
      return { kind, asset, at, minutes: Math.round(drawBetween(20, 60)), size: drawBetween(8, 20) }
    case 'crash':
      return { kind, asset: null, at, minutes: Math.round(drawBetween(12, 25)), size: -drawBetween(35, 80) }
    case 'dislocation':
      return {
        kind,
        asset: assetOnBoth,
        at,
        minutes: Math.round(drawBetween(90, 200)),
        size: sign * drawBetween(0.8, 2),
      }
    case 'halt':
      return { kind, asset: assetOnBoth, at, minutes: Math.round(drawBetween(15, 45)), size: 0 }
    case 'pump':
      return { kind, asset: PUMPED_ASSET, at, minutes: 3, size: drawBetween(120, 250) }
  }
}

function pickAsset(list: readonly SimulatedAsset[], random: Random): SimulatedAsset {
  const pickedAsset = list[Math.floor(random.uniform() * list.length)]
  if (!pickedAsset) throw new Error('There is no asset')
  return pickedAsset
}
