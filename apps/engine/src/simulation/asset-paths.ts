import { DAY_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'
import type { Anomaly } from './anomalies.ts'
import { assets, type SimulatedAsset } from './assets.ts'
import type { Random } from './random.ts'

/** One minute of an asset, before exchanges add their own noise. */
export interface AssetMinute {
  /** Natural logarithm of the price every ten seconds, both ends of the minute included. */
  points: readonly number[]
  /** Volume as a multiple of the usual volume. */
  activity: number
  /** True while buyers sweep the order book. */
  isRush: boolean
}

const assetStateSchema = z.strictObject({
  log: z.number(),
  /** Excess variance that earlier moves leave behind, as a multiple of the usual variance. */
  heat: z.number(),
  /** Slow wave that is added to the logarithm of the activity. */
  wave: z.number(),
  /** Activity that a burst of volume leaves behind. */
  surge: z.number(),
})
type AssetState = z.infer<typeof assetStateSchema>

export const assetPathsStateSchema = z.strictObject({
  regime: z.int(),
  assets: z.array(assetStateSchema).length(assets.length),
})
type AssetPathsState = z.infer<typeof assetPathsStateSchema>

const STEPS = 6
/** For each regime: factor of the deviation, and probability of leaving the regime in a minute. */
const REGIMES = [
  { factor: 0.7, leave: 0.003 },
  { factor: 1, leave: 0.004 },
  { factor: 1.6, leave: 0.01 },
] as const
/** GARCH(1,1) parameters. The effect of a shock on the volatility has a half-life of 46 minutes. */
const HEAT_DECAY = 0.93
const HEAT_LEARNING_RATE = 0.055
const MAX_HEAT = 40
const SURGE_DECAY = 0.5 ** (1 / 40)
/** Share of a burst that decays after its end. The rest ends with the burst. */
const SURGE_SHARE = 0.35
/**
 * Mean reversion: fraction of its distance from the initial price by which a price moves back per
 * minute. Prices revert within weeks, so a long demo keeps plausible prices.
 */
const MEAN_REVERSION = 3e-5
/**
 * Moves of a pump in percent, minute by minute. The price rises by more than an alert for rush
 * orders requires, and then loses about half of the rise.
 */
const PUMP = [8, 1.5, -5] as const
const MOVE_ACTIVITY: Partial<Record<Anomaly['kind'], number>> = { jump: 6, slide: 1.8, crash: 4, volatility: 1.5 }

/**
 * Returns the factor of the price volatility at a time of day, which follows the trading hours of
 * Europe and America. The traded volume has the square of this factor.
 */
function computeDailyFactor(at: number): number {
  const day = (2 * Math.PI * (at % DAY_MS)) / DAY_MS
  return 1 + 0.25 * Math.sin(day - 2.4) + 0.08 * Math.sin(2 * day - 1)
}

/** Generates joint prices of all assets, minute by minute. */
export function createAssetPaths(random: Random) {
  let states: AssetState[] = assets.map(({ price }) => ({ log: Math.log(price), heat: 0, wave: 0, surge: 0 }))
  let regime = 1

  const stepRegime = () => {
    if (random.uniform() >= (REGIMES[regime]?.leave ?? 0)) return
    regime = regime === 1 ? (random.uniform() < 0.6 ? 0 : 2) : 1
  }
  const stepAsset = (
    asset: SimulatedAsset,
    state: AssetState,
    anomalies: readonly Anomaly[],
    at: number,
    commonMoves: readonly number[],
  ): AssetMinute => {
    const daily = computeDailyFactor(at)
    const factor = REGIMES[regime]?.factor ?? 1
    const assetAnomalies = anomalies.filter((anomaly) => anomaly.asset === null || anomaly.asset === asset.name)
    for (const { kind, size } of assetAnomalies) if (kind === 'volatility') state.heat = Math.max(state.heat, size)
    const usualDeviation = (asset.deviation * factor * daily) / 100
    const deviation = (usualDeviation * Math.sqrt(1 + state.heat)) / Math.sqrt(STEPS)
    const drift =
      computeDrift(asset, assetAnomalies, at) / STEPS - (MEAN_REVERSION * (state.log - Math.log(asset.price))) / STEPS
    const points = [state.log]
    for (let step = 0; step < STEPS; step++) {
      const z = asset.common * (commonMoves[step] ?? 0) + Math.sqrt(1 - asset.common ** 2) * random.normal()
      state.log += drift + deviation * z
      points.push(state.log)
    }
    const activity = daily ** 2 * factor * Math.sqrt(1 + state.heat) * advanceActivity(state, assetAnomalies)
    const movedDeviations = (state.log - (points[0] ?? 0)) / usualDeviation
    state.heat = Math.min(
      MAX_HEAT,
      Math.max(0, HEAT_DECAY * state.heat + HEAT_LEARNING_RATE * (movedDeviations ** 2 - 1)),
    )
    return { points, activity, isRush: assetAnomalies.some((anomaly) => anomaly.kind === 'pump' && anomaly.at === at) }
  }
  const advanceActivity = (state: AssetState, ownAnomalies: readonly Anomaly[]): number => {
    state.wave = 0.97 * state.wave + 0.1 * random.normal()
    state.surge *= SURGE_DECAY
    let burst = 1
    for (const { kind, size } of ownAnomalies) {
      if (kind === 'volume' || kind === 'pump') {
        burst = size
        state.surge = Math.max(state.surge, Math.min(size, 20) * SURGE_SHARE * 2 * random.uniform())
      } else burst = Math.max(burst, MOVE_ACTIVITY[kind] ?? 1)
    }
    return Math.exp(state.wave) * Math.max(burst, 1 + state.surge)
  }
  return {
    /**
     * Generates the next minute.
     * @param anomalies that are active in this minute
     * @param listedAssets assets that trade, the first ones of all assets
     */
    next(at: number, anomalies: readonly Anomaly[], listedAssets: readonly SimulatedAsset[]): AssetMinute[] {
      stepRegime()
      const commonMoves = Array.from({ length: STEPS }, () => random.normal())
      return listedAssets.map((asset, index) => {
        const state = states[index]
        if (!state) throw new Error(`${asset.name} has no state`)
        return stepAsset(asset, state, anomalies, at, commonMoves)
      })
    },
    state: (): AssetPathsState => structuredClone({ regime, assets: states }),
    restore(state: AssetPathsState) {
      regime = state.regime
      states = structuredClone(state.assets)
    },
  }
}

/** Move of this minute that anomalies add, as a difference of logarithms. */
function computeDrift({ deviation }: SimulatedAsset, anomalies: readonly Anomaly[], at: number): number {
  return anomalies.reduce((sum, { kind, at: start, minutes, size }) => {
    if (kind === 'pump') return sum + (PUMP[(at - start) / 60_000] ?? 0) / 100
    const isMove = kind === 'jump' || kind === 'slide' || kind === 'crash'
    return isMove ? sum + (size * deviation) / 100 / minutes : sum
  }, 0)
}
