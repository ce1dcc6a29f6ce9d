import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'

/**
 * Cached formats. The key is the zone name as the account wrote it: aliases and any letter case are
 * accepted, so one zone can have several entries.
 */
const formats = new Map<string, Intl.DateTimeFormat>()
/** Maximum number of cached formats, of about 30 kB each. */
const MAX_FORMATS = 200
/**
 * Offsets from UTC in ms by zone and quarter of an hour. Zones change their offset only at the
 * start of a quarter of an hour.
 */
const offsets = new Map<string, number>()
const OFFSET_SLOT_MS = 15 * MINUTE_MS
const MAX_CACHED_OFFSETS = 20_000

/**
 * Returns the wall-clock time in a zone. The result is the ms since 1970 at which a clock in UTC
 * shows the same date and time.
 */
export function toLocalMs(at: Date, timeZone: string): number {
  const slot = Math.floor(at.getTime() / OFFSET_SLOT_MS)
  const key = `${timeZone} ${slot}`
  let offset = offsets.get(key)
  if (offset === undefined) {
    offset = formatLocalMs(new Date(slot * OFFSET_SLOT_MS), timeZone) - slot * OFFSET_SLOT_MS
    if (offsets.size >= MAX_CACHED_OFFSETS) offsets.clear()
    offsets.set(key, offset)
  }
  return at.getTime() + offset
}

function formatLocalMs(at: Date, timeZone: string): number {
  const parts = Object.fromEntries(
    findFormat(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

function findFormat(timeZone: string): Intl.DateTimeFormat {
  const cachedFormat = formats.get(timeZone)
  if (cachedFormat) return cachedFormat
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (formats.size >= MAX_FORMATS) formats.clear()
  formats.set(timeZone, format)
  return format
}

/**
 * Returns the instant of a wall-clock time. A time that a clock change skips is moved forward by
 * the length of the change. If a time occurs twice, the first one counts (RFC 5545, section 3.3.5).
 */
export function toUtcDate(localMs: number, timeZone: string): Date {
  const getOffsetAt = (ms: number) => toLocalMs(new Date(ms), timeZone) - ms
  // Zones change their offset at most once a day, so the offsets a day before and a day after
  // include both sides of a change in between.
  const [offsetBefore, offsetAfter] = [getOffsetAt(localMs - DAY_MS), getOffsetAt(localMs + DAY_MS)]
  const earlierMs = localMs - offsetBefore
  if (getOffsetAt(earlierMs) === offsetBefore) return new Date(earlierMs)
  const laterMs = localMs - offsetAfter
  return new Date(getOffsetAt(laterMs) === offsetAfter ? laterMs : earlierMs)
}

/** Returns the midnight of the local day, in the same form as `toLocalMs`. */
export const localDayMs = (localMs: number): number => Math.floor(localMs / DAY_MS) * DAY_MS

/** Returns the day of the week: 1 is Monday, 7 is Sunday (ISO 8601). */
export const isoWeekday = (localMs: number): number => ((Math.floor(localMs / DAY_MS) + 3) % 7) + 1

/** Returns the instant of a minute of a local day. */
export function toInstant(dayMs: number, minute: number, timeZone: string): Date {
  return toUtcDate(dayMs + minute * MINUTE_MS, timeZone)
}
