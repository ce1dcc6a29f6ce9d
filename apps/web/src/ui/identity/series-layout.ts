import type { SignalSeries } from '@tocsin/protocol'

export type SeriesPoint = { x: number; y: number }

const fullPercent = 100
/** Half the width of the normal band, in standard deviations. */
const bandDeviations = 2
const maxGridLines = 5

const roundPercent = (share: number) => Math.round(share * 100) / 100

/** Lays out a series in a 100 x 100 box with its origin at the top left. The caller scales it. */
export function layOutSeries({ values, mean, deviation, triggerIndex }: SignalSeries) {
  const [from, to] = [mean - bandDeviations * deviation, mean + bandDeviations * deviation]
  const low = Math.min(from, ...values)
  const high = Math.max(to, ...values)
  // If all values are equal, draw the line in the middle.
  const span = high - low
  const getY = (value: number) => (span === 0 ? fullPercent / 2 : roundPercent(((high - value) / span) * fullPercent))
  const points = values.map(
    (value, index): SeriesPoint => ({ x: roundPercent((index / (values.length - 1)) * fullPercent), y: getY(value) }),
  )
  const lowestIndex = values.indexOf(Math.min(...values))
  const highestIndex = values.indexOf(Math.max(...values))
  return {
    points,
    trigger: points[triggerIndex] ?? { x: fullPercent, y: fullPercent / 2 },
    /**
     * Index of the extreme value opposite to the trigger: the highest value if the trigger is below
     * the mean, otherwise the lowest.
     */
    oppositeIndex: (values[triggerIndex] ?? mean) < mean ? highestIndex : lowestIndex,
    band: { top: getY(to), mean: getY(mean), bottom: getY(from) },
    grid: listGridValues(low, high).map((value) => ({ value, y: getY(value) })),
  }
}

/** Multiples of a round step (1, 2 or 5 times a power of ten) within the range. */
export function listGridValues(low: number, high: number): number[] {
  const span = high - low
  if (span <= 0) return []
  const power = 10 ** Math.floor(Math.log10(span / maxGridLines))
  const step =
    [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => span / candidate <= maxGridLines) ?? span
  const firstStep = Math.ceil(roundFloatError(low / step))
  const count = Math.floor(roundFloatError(high / step)) - firstStep + 1
  return Array.from({ length: count }, (_, index) => roundFloatError((firstStep + index) * step))
}

/** Removes floating point error: 0.6 / 0.1 becomes 6. */
const roundFloatError = (value: number) => Number(value.toPrecision(12))

/** SVG path that connects the points with lines. */
export function formatPath(points: readonly SeriesPoint[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('')
}
