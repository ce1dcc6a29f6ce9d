/**
 * Compares the newest scores of a series with its usual ones, after the anomaly likelihood of
 * Lavin and Ahmad (2015): a short mean against mean and deviation of a long window. Both windows
 * decay instead of sliding, so that memory is constant.
 */
export interface Likelihood {
  seen: number
  short: number
  mean: number
  square: number
}

export function createLikelihood(): Likelihood {
  return { seen: 0, short: 0, mean: 0, square: 0 }
}

/** Adds a score. Returns the likelihood as -log10 of the normal tail, at least 0. */
export function addScore(state: Likelihood, score: number, shortLength: number, longLength: number): number {
  const newWeight = 1 / (state.seen + 1)
  state.seen++
  state.short += Math.max(1 / shortLength, newWeight) * (score - state.short)
  const deviation = Math.sqrt(Math.max(state.square - state.mean * state.mean, 0)) + 1e-3
  const distance = (state.short - state.mean) / deviation
  state.mean += Math.max(1 / longLength, newWeight) * (score - state.mean)
  state.square += Math.max(1 / longLength, newWeight) * (score * score - state.square)
  return -log10NormalTail(distance)
}

/** log10 of the upper normal tail, by Zelen and Severo's approximation or the asymptotic series. */
export function log10NormalTail(z: number): number {
  if (z < 0) return Math.log10(1 - 10 ** log10NormalTail(-z))
  const logDensity = -0.5 * z * z - 0.5 * Math.log(2 * Math.PI)
  if (z > 6) return (logDensity + Math.log(1 / z - 1 / z ** 3 + 3 / z ** 5)) / Math.LN10
  const t = 1 / (1 + 0.2316419 * z)
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (logDensity + Math.log(series)) / Math.LN10
}
