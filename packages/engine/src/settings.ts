/** Every number that decides what the engine finds. Published with the model as its settings. */
export interface Settings {
  /** Half-lives in minutes. */
  tailHalfLife: number
  outcomeHalfLife: number
  /** Minutes of complete bars before a market may raise alerts, at first and after a long gap. */
  warmUp: number
  warmUpAfterGap: number
  /** Surprise (-log10 of the tail) from which each type raises an alert. */
  price: number
  volume: number
  volatility: number
  /**
   * Surprise that each of two assets needs for a market-wide alert, and the share of all assets.
   */
  marketWide: number
  marketWideShare: number
  /** Percent that a spread must be away from its median at least. */
  divergence: number
  /** Percent that the price must have risen in two minutes for an alert about rush orders. */
  rushMove: number
  /** Prediction thresholds: quantile of the same metric over past horizons, times a factor. */
  thresholdQuantile: number
  thresholdFactors: { maxExcursion: number; volume: number; realisedVariance: number }
  /** Horizon of predictions in seconds. A second, shorter one runs beside it if it is not null. */
  horizonSeconds: number
  shortHorizonSeconds: number | null
}

export const defaultSettings: Settings = {
  tailHalfLife: 10_080,
  outcomeHalfLife: 2_160,
  warmUp: 1_440,
  warmUpAfterGap: 240,
  price: 2.7,
  volume: 2.8,
  volatility: 2.2,
  marketWide: 2.9,
  marketWideShare: 0.6,
  divergence: 0.5,
  rushMove: 5,
  thresholdQuantile: 0.95,
  thresholdFactors: { maxExcursion: 1.1, volume: 1.5, realisedVariance: 1.8 },
  horizonSeconds: 3_600,
  shortHorizonSeconds: null,
}
