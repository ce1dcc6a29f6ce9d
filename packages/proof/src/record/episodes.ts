import { computeHorizon, type Prediction } from './prediction.ts'

/**
 * Returns a function that returns true if a prediction starts a new episode. Predictions with the
 * same markets and metric form a series. A prediction that starts within the horizon of the first
 * prediction of the current episode of its series belongs to that episode. Callers pass predictions
 * in ascending order of log index.
 */
export function createEpisodeStartCheck(): (prediction: Prediction) => boolean {
  const endBySeries = new Map<string, number>()
  return (prediction) => {
    const { venue, market, other, metric } = prediction
    const series = JSON.stringify([venue, market, other?.venue, other?.market, metric])
    const { from, until } = computeHorizon(prediction)
    if (from < (endBySeries.get(series) ?? 0)) return false
    endBySeries.set(series, until)
    return true
  }
}
