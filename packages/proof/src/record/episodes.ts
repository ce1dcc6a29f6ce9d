import { horizonOf, type Prediction } from './prediction.ts'

/**
 * Decides for predictions by rising log index whether they are the first of their episode: they do
 * not start within the horizon of the last first one of the same series.
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
