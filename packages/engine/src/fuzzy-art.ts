/**
 * Prototype memory by Fuzzy ART (Carpenter, Grossberg and Rosen, 1991). With complement coding a
 * category is a box: its weights are the lowest and highest inputs that it covers, and vigilance
 * limits its size. The novelty of an input is its distance from the nearest box.
 */
export interface FuzzyArt {
  low: number[][]
  high: number[][]
}

export interface FuzzyArtSettings {
  /** Maximum mean side of a box. Vigilance is 1 minus this value. Inputs span about 0 to 1. */
  size: number
  /** Learning rate from 0 to 1. At 1, a box grows to include an input immediately. */
  rate: number
  /** Maximum number of categories, so that memory is constant. */
  categories: number
}

export function createFuzzyArt(): FuzzyArt {
  return { low: [], high: [] }
}

/**
 * Returns the mean distance of the input from the nearest box, 0 inside it, then learns the input.
 */
export function learnNovelty(memory: FuzzyArt, input: readonly number[], settings: FuzzyArtSettings): number {
  let nearestIndex = -1
  let distance = Number.POSITIVE_INFINITY
  for (let j = 0; j < memory.low.length && distance > 0; j++) {
    const candidateDistance = computeDistanceTo(memory.low[j] ?? [], memory.high[j] ?? [], input)
    if (candidateDistance < distance) {
      distance = candidateDistance
      nearestIndex = j
    }
  }
  const low = memory.low[nearestIndex]
  const high = memory.high[nearestIndex]
  if (low === undefined || high === undefined) {
    addBox(memory, input)
    return 0
  }
  if (distance > 0) extendBox(memory, low, high, input, settings)
  return distance / input.length
}

function computeDistanceTo(low: readonly number[], high: readonly number[], input: readonly number[]): number {
  let sum = 0
  for (let k = 0; k < input.length; k++) {
    const value = input[k] ?? 0
    sum += Math.max(0, (low[k] ?? 0) - value, value - (high[k] ?? 0))
  }
  return sum
}

function extendBox(
  memory: FuzzyArt,
  low: number[],
  high: number[],
  input: readonly number[],
  settings: FuzzyArtSettings,
): void {
  const boxSize = input.reduce((sum, value, k) => sum + Math.max(high[k] ?? 0, value) - Math.min(low[k] ?? 0, value), 0)
  if (boxSize / input.length > settings.size) {
    if (memory.low.length < settings.categories) addBox(memory, input)
    return
  }
  input.forEach((value, k) => {
    low[k] = (low[k] ?? 0) + settings.rate * Math.min(0, value - (low[k] ?? 0))
    high[k] = (high[k] ?? 0) + settings.rate * Math.max(0, value - (high[k] ?? 0))
  })
}

function addBox(memory: FuzzyArt, input: readonly number[]): void {
  memory.low.push([...input])
  memory.high.push([...input])
}
