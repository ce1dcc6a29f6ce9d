/**
 * Decayed empirical distribution of positive values in constant memory: a histogram over the
 * logarithm of the value, in which older values weigh less. State is plain JSON.
 */
export interface Tail {
  /** Weight of the next value. Grows, so that earlier values lose weight relative to it. */
  weight: number
  total: number
  /** Logarithm (base 2) of the middle of the histogram. It starts at the first value. */
  middle: number
  /** True if a value has been added. */
  started: boolean
  buckets: number[]
}

const BUCKETS = 128
const PER_OCTAVE = 6
const RESCALE_ABOVE = 2 ** 40
/**
 * Weight of the largest values, in weights of the newest value. A power law replaces the histogram
 * beyond them.
 */
const TRUSTED_WEIGHT = 8
/** Exponent of the power law: the inverse cubic law of returns (Gopikrishnan et al., 1998). */
const TAIL_EXPONENT = 3

export function createTail(): Tail {
  return { weight: 1, total: 0, middle: 0, started: false, buckets: new Array<number>(BUCKETS).fill(0) }
}

/** Position in the histogram, not rounded. Zero and tiny values belong to the lowest bucket. */
function position(tail: Tail, value: number): number {
  if (!(value > 0)) return 0
  const at = (Math.log2(value) - tail.middle) * PER_OCTAVE + BUCKETS / 2
  return Math.min(Math.max(at, 0), BUCKETS - 1e-9)
}

/** @param growth ratio of the weight of each value to the one before, see `growthOf` */
export function addToTail(tail: Tail, value: number, growth: number): void {
  if (!tail.started && value > 0) {
    tail.middle = Math.log2(value)
    tail.started = true
  }
  makeRoomAbove(tail, value)
  const at = Math.floor(position(tail, value))
  tail.buckets[at] = (tail.buckets[at] ?? 0) + tail.weight
  tail.total += tail.weight
  tail.weight *= growth
  if (tail.weight > RESCALE_ABOVE) rescale(tail)
}

/**
 * Shifts the histogram up if the value is beyond its end. Weight below the new range moves to the
 * lowest bucket.
 */
function makeRoomAbove(tail: Tail, value: number): void {
  const beyond = (Math.log2(value) - tail.middle) * PER_OCTAVE + BUCKETS / 2 - (BUCKETS - 1)
  if (!(beyond > 0) || value === Number.POSITIVE_INFINITY) return
  const shift = Math.ceil(beyond) + PER_OCTAVE
  const lowest = tail.buckets.slice(0, shift + 1).reduce((sum, weight) => sum + weight, 0)
  const kept = tail.buckets.slice(shift + 1)
  tail.buckets = [lowest, ...kept, ...new Array<number>(BUCKETS - 1 - kept.length).fill(0)]
  tail.middle += shift / PER_OCTAVE
}

/** @param halfLife number of values after which a value has half of its weight */
export function growthOf(halfLife: number): number {
  return 2 ** (1 / halfLife)
}

function rescale(tail: Tail): void {
  const factor = 1 / tail.weight
  for (let i = 0; i < tail.buckets.length; i++) tail.buckets[i] = (tail.buckets[i] ?? 0) * factor
  tail.total *= factor
  tail.weight = 1
}

/** Number of equally weighted values to which the histogram corresponds. */
export function effectiveCount(tail: Tail): number {
  return tail.total / tail.weight
}

/** Share of past values above `value`, between 0 and 1 and never exactly 0. */
export function tailShare(tail: Tail, value: number): number {
  if (tail.total === 0) return 1
  const at = position(tail, value)
  const bucket = Math.floor(at)
  let above = 0
  for (let i = BUCKETS - 1; i > bucket; i--) above += tail.buckets[i] ?? 0
  above += (tail.buckets[bucket] ?? 0) * (1 - (at - bucket))
  const trusted = TRUSTED_WEIGHT * tail.weight
  if (above >= trusted || tail.total < trusted) return (above + 0.5 * tail.weight) / (tail.total + tail.weight)
  return continuedShare(tail, value, trusted)
}

/**
 * Continues the distribution as a power law through the value with the weight `trusted` above it.
 */
function continuedShare(tail: Tail, value: number, trusted: number): number {
  const anchor = quantileAbove(tail, trusted)
  const share = (trusted + 0.5 * tail.weight) / (tail.total + tail.weight)
  return share * Math.min(1, (anchor / value) ** TAIL_EXPONENT)
}

/** Surprise of a value: -log10 of the share of past values above it. 0 without past values. */
export function surprise(tail: Tail, value: number): number {
  return Math.max(0, -Math.log10(tailShare(tail, value)))
}

/** The value that has this surprise: the inverse of `surprise`. 0 without past values. */
export function valueAt(tail: Tail, wanted: number): number {
  if (tail.total === 0) return 0
  const trusted = TRUSTED_WEIGHT * tail.weight
  const share = 10 ** -wanted
  const above = share * (tail.total + tail.weight) - 0.5 * tail.weight
  if (above >= trusted || tail.total < trusted) return quantileAbove(tail, Math.max(above, 0))
  const trustedShare = (trusted + 0.5 * tail.weight) / (tail.total + tail.weight)
  return quantileAbove(tail, trusted) * (trustedShare / share) ** (1 / TAIL_EXPONENT)
}

/** The value below which `share` (0 to 1) of the past values lie. 0 without past values. */
export function quantile(tail: Tail, share: number): number {
  return tail.total === 0 ? 0 : quantileAbove(tail, (1 - share) * tail.total)
}

function quantileAbove(tail: Tail, weightAbove: number): number {
  let above = 0
  let bucket = BUCKETS
  while (bucket > 0) {
    bucket--
    const inside = tail.buckets[bucket] ?? 0
    if (above + inside >= weightAbove && inside > 0) {
      const part = 1 - (weightAbove - above) / inside
      return 2 ** (tail.middle + (bucket + part - BUCKETS / 2) / PER_OCTAVE)
    }
    above += inside
  }
  return 2 ** (tail.middle - BUCKETS / 2 / PER_OCTAVE)
}
