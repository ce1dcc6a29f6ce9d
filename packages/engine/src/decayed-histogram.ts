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

const BUCKETS = 128
const PER_OCTAVE = 6
const RESCALE_ABOVE = 2 ** 40
/**
 * The histogram applies up to the value with this weight above it, in weights of the newest value.
 * Beyond that value too few values are left, so a power law replaces the histogram.
 */
const TRUSTED_WEIGHT = 8
/** Exponent of the power law: the inverse cubic law of returns (Gopikrishnan et al., 1998). */
const TAIL_EXPONENT = 3

export function createDecayedHistogram(): DecayedHistogram {
  return { weight: 1, total: 0, middle: 0, started: false, buckets: new Array<number>(BUCKETS).fill(0) }
}

/** Position in the histogram, not rounded. Zero and tiny values belong to the lowest bucket. */
function position(histogram: DecayedHistogram, value: number): number {
  if (!(value > 0)) return 0
  const at = (Math.log2(value) - histogram.middle) * PER_OCTAVE + BUCKETS / 2
  return Math.min(Math.max(at, 0), BUCKETS - 1e-9)
}

/** @param growth ratio of the weight of each value to the one before, see `computeGrowth` */
export function addToHistogram(histogram: DecayedHistogram, value: number, growth: number): void {
  if (!histogram.started && value > 0) {
    histogram.middle = Math.log2(value)
    histogram.started = true
  }
  makeRoomAbove(histogram, value)
  const at = Math.floor(position(histogram, value))
  histogram.buckets[at] = (histogram.buckets[at] ?? 0) + histogram.weight
  histogram.total += histogram.weight
  histogram.weight *= growth
  if (histogram.weight > RESCALE_ABOVE) rescale(histogram)
}

/**
 * Shifts the histogram up if the value is beyond its end. Weight below the new range moves to the
 * lowest bucket.
 */
function makeRoomAbove(histogram: DecayedHistogram, value: number): void {
  const beyond = (Math.log2(value) - histogram.middle) * PER_OCTAVE + BUCKETS / 2 - (BUCKETS - 1)
  if (!(beyond > 0) || value === Number.POSITIVE_INFINITY) return
  const shift = Math.ceil(beyond) + PER_OCTAVE
  const lowest = histogram.buckets.slice(0, shift + 1).reduce((sum, weight) => sum + weight, 0)
  const kept = histogram.buckets.slice(shift + 1)
  histogram.buckets = [lowest, ...kept, ...new Array<number>(BUCKETS - 1 - kept.length).fill(0)]
  histogram.middle += shift / PER_OCTAVE
}

/** @param halfLife number of values after which a value has half of its weight */
export function computeGrowth(halfLife: number): number {
  return 2 ** (1 / halfLife)
}

function rescale(histogram: DecayedHistogram): void {
  const factor = 1 / histogram.weight
  for (let i = 0; i < histogram.buckets.length; i++) histogram.buckets[i] = (histogram.buckets[i] ?? 0) * factor
  histogram.total *= factor
  histogram.weight = 1
}

/** Number of equally weighted values to which the histogram corresponds. */
export function effectiveCount(histogram: DecayedHistogram): number {
  return histogram.total / histogram.weight
}

/** Share of past values above `value`, between 0 and 1 and never exactly 0. */
export function shareAbove(histogram: DecayedHistogram, value: number): number {
  if (histogram.total === 0) return 1
  const at = position(histogram, value)
  const bucket = Math.floor(at)
  let above = 0
  for (let i = BUCKETS - 1; i > bucket; i--) above += histogram.buckets[i] ?? 0
  above += (histogram.buckets[bucket] ?? 0) * (1 - (at - bucket))
  const trusted = TRUSTED_WEIGHT * histogram.weight
  if (above >= trusted || histogram.total < trusted) {
    return (above + 0.5 * histogram.weight) / (histogram.total + histogram.weight)
  }
  return continuedShare(histogram, value, trusted)
}

/**
 * Returns the share above a value in the tail. A power law continues the distribution from the
 * value that has the weight `trusted` above it.
 */
function continuedShare(histogram: DecayedHistogram, value: number, trusted: number): number {
  const anchor = quantileAbove(histogram, trusted)
  const share = (trusted + 0.5 * histogram.weight) / (histogram.total + histogram.weight)
  return share * Math.min(1, (anchor / value) ** TAIL_EXPONENT)
}

/**
 * Surprise of a value: -log10 of the share of past values above it. 0 if there are no past values.
 */
export function computeSurprise(histogram: DecayedHistogram, value: number): number {
  return Math.max(0, -Math.log10(shareAbove(histogram, value)))
}

/**
 * The value that has this surprise: the inverse of `computeSurprise`. 0 if there are no past
 * values.
 */
export function valueAt(histogram: DecayedHistogram, wanted: number): number {
  if (histogram.total === 0) return 0
  const trusted = TRUSTED_WEIGHT * histogram.weight
  const share = 10 ** -wanted
  const above = share * (histogram.total + histogram.weight) - 0.5 * histogram.weight
  if (above >= trusted || histogram.total < trusted) return quantileAbove(histogram, Math.max(above, 0))
  const trustedShare = (trusted + 0.5 * histogram.weight) / (histogram.total + histogram.weight)
  return quantileAbove(histogram, trusted) * (trustedShare / share) ** (1 / TAIL_EXPONENT)
}

/** The value below which `share` (0 to 1) of the past values lie. 0 if there are no past values. */
export function quantile(histogram: DecayedHistogram, share: number): number {
  return histogram.total === 0 ? 0 : quantileAbove(histogram, (1 - share) * histogram.total)
}

function quantileAbove(histogram: DecayedHistogram, weightAbove: number): number {
  let above = 0
  let bucket = BUCKETS
  while (bucket > 0) {
    bucket--
    const inside = histogram.buckets[bucket] ?? 0
    if (above + inside >= weightAbove && inside > 0) {
      const part = 1 - (weightAbove - above) / inside
      return 2 ** (histogram.middle + (bucket + part - BUCKETS / 2) / PER_OCTAVE)
    }
    above += inside
  }
  return 2 ** (histogram.middle - BUCKETS / 2 / PER_OCTAVE)
}
