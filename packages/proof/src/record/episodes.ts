import { horizonOf, type Prediction } from './prediction.ts'

/**
 * Returns a function that tells whether a prediction is the first of its episode. It is not if it
 * starts within the horizon of the last first prediction of the same series. Callers pass
 * predictions by rising log index.
 */
export function createEpisodes(): (prediction: Prediction) => boolean {
  const endBySeries = new Map<string, number>()
  return (prediction) => {
    const { venue, market, other, metric } = prediction
    const series = JSON.stringify([venue, market, other?.venue, other?.market, metric])
    const { from, until } = horizonOf(prediction)
    if (from < (endBySeries.get(series) ?? 0)) return false
    endBySeries.set(series, until)
    return true
  }
}
