import { addToHistogram, computeSurprise, createDecayedHistogram, type DecayedHistogram } from './decayed-histogram.ts'
import { createFuzzyArt, type FuzzyArt, learnNovelty } from './fuzzy-art.ts'
import type { MarketMeasures } from './statistics.ts'

/**
 * Additional measure at the end of a minute: the distance of the newest window from the windows
 * that a prototype memory (see fuzzy-art.ts) has learnt. Each other measure covers one quantity.
 * This one covers their combination, for example a price move without volume.
 */
export interface NoveltyMemory {
  memory: FuzzyArt
  distances: DecayedHistogram
}

const MEMORY_SETTINGS = { size: 0.04, rate: 0.5, categories: 64 }

export function createNoveltyMemory(): NoveltyMemory {
  return { memory: createFuzzyArt(), distances: createDecayedHistogram() }
}

/** Maps a multiple of the usual value to the range from 0 to 1, and the usual value to 0.5. */
const toUnitRange = (multiple: number) => Math.abs(multiple) / (1 + Math.abs(multiple))

function toWindow({ prices, volumes, volatility }: MarketMeasures): number[] {
  return [...prices.map(toUnitRange), ...volumes.map(toUnitRange), toUnitRange(volatility)]
}

/** Returns the surprise of a window, then learns the window. */
export function learnWindow(novelty: NoveltyMemory, views: MarketMeasures, growth: number): number {
  const distance = learnNovelty(novelty.memory, toWindow(views), MEMORY_SETTINGS)
  const score = computeSurprise(novelty.distances, distance)
  addToHistogram(novelty.distances, distance, growth)
  return score
}
