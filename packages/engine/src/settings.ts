/**
 * Adjustable parameters of detection and prediction, published as the settings of the model.
 * Further thresholds are constants of the detectors.
 */
export interface Settings {
  /**
   * Half-lives in minutes: of the distributions of measures (`tailHalfLife`) and of past outcomes.
   */
  tailHalfLife: number
  outcomeHalfLife: number
  /**
   * Minimum number of complete minutes before a market raises alerts: at first (`warmUp`), and
   * after event time has jumped by more than six hours (`warmUpAfterGap`).
   */
  warmUp: number
  warmUpAfterGap: number
  /** Minimum surprise (-log10 of the tail probability) for an alert of each type. */
  price: number
  volume: number
  volatility: number
  /**
   * For market-wide alerts: minimum surprise of each asset if two move together (`marketWide`), and
   * minimum share of the assets that must move together (`marketWideShare`).
   */
  marketWide: number
  marketWideShare: number
  /** Minimum distance of a spread from its usual value for a divergence alert, in percent. */
  divergence: number
  /** Minimum rise of the price in two minutes for an alert about rush orders, in percent. */
  rushMove: number
  /**
   * The threshold of a prediction is this quantile of its metric over past periods of the same
   * length, times the factor of the metric.
   */
  thresholdQuantile: number
  thresholdFactors: { maxExcursion: number; volume: number; realisedVariance: number }
  /**
   * Horizon of a prediction: the length of the period that it covers, in seconds. If the short one
   * is not null, each anomaly also raises a second alert with the short horizon.
   */
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
