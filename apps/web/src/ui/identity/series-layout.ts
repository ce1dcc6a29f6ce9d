import type { SignalSeries } from '@tocsin/protocol'

export type SeriesPoint = { x: number; y: number }

const full = 100
/** How many standard deviations still count as usual. */
const usual = 2
const mostGridLines = 5

const round = (share: number) => Math.round(share * 100) / 100

/** Where a series lies in a box of 100 by 100, from its upper left corner: whoever draws it stretches that. */
export function layOutSeries({ values, mean, deviation, triggerIndex }: SignalSeries) {
  const [from, to] = [mean - usual * deviation, mean + usual * deviation]
  const low = Math.min(from, ...values)
  const high = Math.max(to, ...values)
  // Nothing moved at all: a line through the middle.
  const span = high - low
  const yOf = (value: number) => (span === 0 ? full / 2 : round(((high - value) / span) * full))
  const points = values.map(
    (value, at): SeriesPoint => ({ x: round((at / (values.length - 1)) * full), y: yOf(value) }),
  )
  const lowestAt = values.indexOf(Math.min(...values))
  const highestAt = values.indexOf(Math.max(...values))
  return {
    points,
    trigger: points[triggerIndex] ?? { x: full, y: full / 2 },
    /** The value farthest from the trigger's, on the other side of what is usual. */
    opposite: (values[triggerIndex] ?? mean) < mean ? highestAt : lowestAt,
    band: { top: yOf(to), mean: yOf(mean), bottom: yOf(from) },
    grid: gridValues(low, high).map((value) => ({ value, y: yOf(value) })),
  }
}

/** Round values (1, 2 or 5 times a power of ten) within the range, at most five. */
export function gridValues(low: number, high: number): number[] {
  const span = high - low
  if (span <= 0) return []
  const power = 10 ** Math.floor(Math.log10(span / mostGridLines))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => span / each <= mostGridLines) ?? span
  const first = Math.ceil(exact(low / step))
  const count = Math.floor(exact(high / step)) - first + 1
  return Array.from({ length: count }, (_, at) => exact((first + at) * step))
}

/** Without what binary fractions add: 0.6 / 0.1 is 6. */
const exact = (value: number) => Number(value.toPrecision(12))

/** A path through points, as SVG has it. */
export function pathOf(points: readonly SeriesPoint[]): string {
  return points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('')
}
