/**
 * Decayed empirical distribution of positive values in constant memory: a histogram over the
 * logarithm of the value. Older values weigh less. State is plain JSON.
 */
export interface DecayedHistogram {
  /** Weight of the next value. Grows, so that earlier values lose weight relative to it. */
  weight: number
  total: number
  /**
   * Base-2 logarithm of the value at the middle of the histogram. The first positive value sets it;
   * values above the end of the histogram increase it.
   */
  middle: number
  /** True if a positive value has been added. */
  started: boolean
  buckets: number[]
}

const BUCKET_COUNT = 128
const BUCKETS_PER_OCTAVE = 6
const RESCALE_ABOVE = 2 ** 40
/**
 * Minimum weight of past values above a value (the newest value has weight 1) for which the
 * histogram is used. With less weight above it, a power law replaces the histogram.
 */
const TRUSTED_WEIGHT = 8
/** Exponent of the power law: the inverse cubic law of returns (Gopikrishnan et al., 1998). */
const TAIL_EXPONENT = 3

export function createDecayedHistogram(): DecayedHistogram {
  return { weight: 1, total: 0, middle: 0, started: false, buckets: new Array<number>(BUCKET_COUNT).fill(0) }
}

/** Position in the histogram, not rounded. Zero and tiny values belong to the lowest bucket. */
function computePosition(histogram: DecayedHistogram, value: number): number {
  if (!(value > 0)) return 0
  const bucketPosition = (Math.log2(value) - histogram.middle) * BUCKETS_PER_OCTAVE + BUCKET_COUNT / 2
  return Math.min(Math.max(bucketPosition, 0), BUCKET_COUNT - 1e-9)
}

/** @param growth ratio of the weight of each value to the one before, see `computeGrowth` */
export function addToHistogram(histogram: DecayedHistogram, value: number, growth: number): void {
  if (!histogram.started && value > 0) {
    histogram.middle = Math.log2(value)
    histogram.started = true
  }
  makeRoomAbove(histogram, value)
  const bucketIndex = Math.floor(computePosition(histogram, value))
  histogram.buckets[bucketIndex] = (histogram.buckets[bucketIndex] ?? 0) + histogram.weight
  histogram.total += histogram.weight
  histogram.weight *= growth
  if (histogram.weight > RESCALE_ABOVE) rescale(histogram)
}

/**
 * Shifts the histogram up if the value is beyond its end. Weight below the new range moves to the
 * lowest bucket.
 */
function makeRoomAbove(histogram: DecayedHistogram, value: number): void {
  const bucketsBeyond =
    (Math.log2(value) - histogram.middle) * BUCKETS_PER_OCTAVE + BUCKET_COUNT / 2 - (BUCKET_COUNT - 1)
  if (!(bucketsBeyond > 0) || value === Number.POSITIVE_INFINITY) return
  const shift = Math.ceil(bucketsBeyond) + BUCKETS_PER_OCTAVE
  const lowestSum = histogram.buckets.slice(0, shift + 1).reduce((sum, weight) => sum + weight, 0)
  const keptBuckets = histogram.buckets.slice(shift + 1)
  histogram.buckets = [lowestSum, ...keptBuckets, ...new Array<number>(BUCKET_COUNT - 1 - keptBuckets.length).fill(0)]
  histogram.middle += shift / BUCKETS_PER_OCTAVE
}

/** @param halfLife number of values after which a value has half of its weight */
export function computeGrowth(halfLife: number): number {
  return 2 ** (1 / halfLife)
}

/**
 * Returns the weight of a new value in an exponentially decayed mean.
 * @param halfLife number of values after which a value has half of its weight
 */
export function computeLearningRate(halfLife: number): number {
  return 1 - 0.5 ** (1 / halfLife)
}

function rescale(histogram: DecayedHistogram): void {
  const factor = 1 / histogram.weight
  for (let i = 0; i < histogram.buckets.length; i++) histogram.buckets[i] = (histogram.buckets[i] ?? 0) * factor
  histogram.total *= factor
  histogram.weight = 1
}

/** Number of equally weighted values to which the histogram corresponds. */
export function computeEffectiveCount(histogram: DecayedHistogram): number {
  return histogram.total / histogram.weight
}

/** Share of past values above `value`, between 0 and 1 and never exactly 0. */
export function computeShareAbove(histogram: DecayedHistogram, value: number): number {
  if (histogram.total === 0) return 1
  const valuePosition = computePosition(histogram, value)
  const bucket = Math.floor(valuePosition)
  let weightAboveValue = 0
  for (let i = BUCKET_COUNT - 1; i > bucket; i--) weightAboveValue += histogram.buckets[i] ?? 0
  weightAboveValue += (histogram.buckets[bucket] ?? 0) * (1 - (valuePosition - bucket))
  const trustedWeight = TRUSTED_WEIGHT * histogram.weight
  if (weightAboveValue >= trustedWeight || histogram.total < trustedWeight) {
    return (weightAboveValue + 0.5 * histogram.weight) / (histogram.total + histogram.weight)
  }
  return extrapolateShare(histogram, value, trustedWeight)
}

/**
 * Returns the share above a value in the tail. A power law continues the distribution from the
 * value that has the weight `trustedWeight` above it.
 */
function extrapolateShare(histogram: DecayedHistogram, value: number, trustedWeight: number): number {
  const anchor = computeQuantileAbove(histogram, trustedWeight)
  const share = (trustedWeight + 0.5 * histogram.weight) / (histogram.total + histogram.weight)
  return share * Math.min(1, (anchor / value) ** TAIL_EXPONENT)
}

/**
 * Surprise of a value: -log10 of the share of past values above it. 0 if there are no past values.
 */
export function computeSurprise(histogram: DecayedHistogram, value: number): number {
  return Math.max(0, -Math.log10(computeShareAbove(histogram, value)))
}

/**
 * The value that has this surprise: the inverse of `computeSurprise`. 0 if there are no past
 * values.
 */
export function computeValueAt(histogram: DecayedHistogram, wantedSurprise: number): number {
  if (histogram.total === 0) return 0
  const trustedWeight = TRUSTED_WEIGHT * histogram.weight
  const share = 10 ** -wantedSurprise
  const wantedWeight = share * (histogram.total + histogram.weight) - 0.5 * histogram.weight
  if (wantedWeight >= trustedWeight || histogram.total < trustedWeight)
    return computeQuantileAbove(histogram, Math.max(wantedWeight, 0))
  const trustedShare = (trustedWeight + 0.5 * histogram.weight) / (histogram.total + histogram.weight)
  return computeQuantileAbove(histogram, trustedWeight) * (trustedShare / share) ** (1 / TAIL_EXPONENT)
}

/** The value below which `share` (0 to 1) of the past values lie. 0 if there are no past values. */
export function computeQuantile(histogram: DecayedHistogram, share: number): number {
  return histogram.total === 0 ? 0 : computeQuantileAbove(histogram, (1 - share) * histogram.total)
}

function computeQuantileAbove(histogram: DecayedHistogram, weightAbove: number): number {
  let summedWeight = 0
  let bucket = BUCKET_COUNT
  while (bucket > 0) {
    bucket--
    const bucketWeight = histogram.buckets[bucket] ?? 0
    if (summedWeight + bucketWeight >= weightAbove && bucketWeight > 0) {
      const bucketPart = 1 - (weightAbove - summedWeight) / bucketWeight
      return 2 ** (histogram.middle + (bucket + bucketPart - BUCKET_COUNT / 2) / BUCKETS_PER_OCTAVE)
    }
    summedWeight += bucketWeight
  }
  return 2 ** (histogram.middle - BUCKET_COUNT / 2 / BUCKETS_PER_OCTAVE)
}
