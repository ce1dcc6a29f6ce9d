import { DAY_MS } from './durations.ts'

/** Start of the range in milliseconds since the epoch. */
export function parseRangeStart(from: string | undefined): number {
  return from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from)
}

/** End of the range in milliseconds since the epoch. A day ends at its last millisecond. */
export function parseRangeEnd(to: string | undefined): number {
  if (to === undefined) return Number.POSITIVE_INFINITY
  return to.length === 10 ? Date.parse(to) + DAY_MS - 1 : Date.parse(to)
}
