import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { dateLocale } from './locale.ts'
import { type TimeStyle, utcStyle } from './time-style.ts'

/**
 * Cache of formats. They are created on first use, because the first Intl.DateTimeFormat is the
 * slowest part of a page start.
 */
const formats = new Map<string, Intl.DateTimeFormat>()
function getFormatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options)
  const format = formats.get(key) ?? new Intl.DateTimeFormat(dateLocale, options)
  formats.set(key, format)
  return format
}

type Parts = { year: string; day: string; month: string; hour: string; minute: string; second: string }

function getParts(atMs: number, { timeZone }: TimeStyle): Parts {
  if (timeZone === 'UTC') {
    const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] =
      /(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/.exec(new Date(atMs).toISOString()) ?? []
    return { year, month, day, hour, minute, second }
  }
  if (timeZone === 'browser') {
    const date = new Date(atMs)
    return {
      year: String(date.getFullYear()).padStart(4, '0'),
      month: padTwoDigits(date.getMonth() + 1),
      day: padTwoDigits(date.getDate()),
      hour: padTwoDigits(date.getHours()),
      minute: padTwoDigits(date.getMinutes()),
      second: padTwoDigits(date.getSeconds()),
    }
  }
  const twoDigit = '2-digit'
  const clock = { hour: twoDigit, minute: twoDigit, second: twoDigit, hourCycle: 'h23' } as const
  const options = { timeZone, year: 'numeric', month: twoDigit, day: twoDigit, ...clock } as const
  const parts = getFormatter(options).formatToParts(atMs)
  const getPart = (type: keyof Parts) => parts.find((each) => each.type === type)?.value ?? ''
  const [year, month, day] = [getPart('year').padStart(4, '0'), getPart('month'), getPart('day')]
  return { year, month, day, hour: getPart('hour'), minute: getPart('minute'), second: getPart('second') }
}

export const padTwoDigits = (value: number) => String(value).padStart(2, '0')

function formatClockParts({ hour, minute, second }: Parts, { hourCycle }: TimeStyle, withSeconds: boolean): string {
  const minuteText = withSeconds ? `${minute}:${second}` : minute
  if (hourCycle === '24') return `${hour}:${minuteText}`
  const hours = Number(hour)
  const clock = `${padTwoDigits(hours % 12 || 12)}:${minuteText}`
  return `${clock} ${hours < 12 ? 'AM' : 'PM'}`
}

/** "Just now" under a minute and for future times, then minutes, hours, days. */
export function formatRelativeTime(atMs: number, nowMs: number): string {
  const ageMs = nowMs - atMs
  if (ageMs < MINUTE_MS) return 'Just now'
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)} min ago`
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)} h ago`
  const days = Math.floor(ageMs / DAY_MS)
  return `${days} ${days === 1 ? 'day' : 'days'} ago`
}

/** "14:32:07" or "02:32:07 PM". */
export function formatClock(atMs: number, style = utcStyle): string {
  return formatClockParts(getParts(atMs, style), style, true)
}

/** "14:32" or "02:32 PM". For axes and tables of whole minutes; all other times have seconds. */
export function formatHourMinute(atMs: number, style = utcStyle): string {
  return formatClockParts(getParts(atMs, style), style, false)
}

/** "14:32:07" for times of today, otherwise with the date: "21 Nov 14:32:07". */
export function formatClockOrDateTime(atMs: number, nowMs: number, style = utcStyle): string {
  return isSameDay(atMs, nowMs, style) ? formatClock(atMs, style) : formatDateTime(atMs, style)
}

/**
 * Maximum length of a day. The day on which clocks go back is an hour longer, or two hours at Troll
 * station in Antarctica.
 */
const LONGEST_DAY_MS = DAY_MS + 2 * HOUR_MS

function isSameDay(atMs: number, nowMs: number, style: TimeStyle): boolean {
  // Fast path for most rows of a list, since every row checks this once a second.
  if (Math.abs(nowMs - atMs) >= LONGEST_DAY_MS) return false
  return getParts(atMs, style).day === getParts(nowMs, style).day
}

/** "21 Nov 14:32:07" or "21 Nov 02:32:07 PM". */
export function formatDateTime(atMs: number, style = utcStyle): string {
  const parts = getParts(atMs, style)
  return `${formatDayAndMonth(parts)} ${formatClockParts(parts, style, true)}`
}

/** In a sentence: "21 Nov 14:32:07 UTC". */
export function formatDateTimeWithZone(atMs: number, style = utcStyle): string {
  return `${formatDateTime(atMs, style)} ${getZoneName(atMs, style)}`
}

/** In full, for pages that do not name the zone elsewhere: "21 Nov 2026 14:32:07 UTC". */
export function formatFullDateTime(atMs: number, style = utcStyle): string {
  const parts = getParts(atMs, style)
  return `${Number(parts.day)} ${getMonthAbbreviation(parts)} ${parts.year} ${formatClockParts(parts, style, true)} ${getZoneName(atMs, style)}`
}

/** "21 Nov", or empty for times of today. */
export function formatDayUnlessToday(atMs: number, nowMs: number, style = utcStyle): string {
  return isSameDay(atMs, nowMs, style) ? '' : formatDayAndMonth(getParts(atMs, style))
}

function formatDayAndMonth(parts: Parts): string {
  return `${parts.day} ${getMonthAbbreviation(parts)}`
}

const months = 'January February March April May June July August September October November December'.split(' ')

function getMonthName({ month }: Parts): string {
  return months[Number(month) - 1] ?? ''
}

function getMonthAbbreviation(parts: Parts): string {
  return getMonthName(parts).slice(0, 3)
}

/** "Today, 21 November", "Yesterday, 20 November", "18 November". */
export function formatDayHeading(atMs: number, nowMs: number, style = utcStyle): string {
  const parts = getParts(atMs, style)
  const dayText = `${Number(parts.day)} ${getMonthName(parts)}`
  if (isSameDay(atMs, nowMs, style)) return `Today, ${dayText}`
  return isSameDay(atMs, getStartOfDay(nowMs, style) - 1, style) ? `Yesterday, ${dayText}` : dayText
}

/** Midnight at the start of the day that contains a time. */
export function getStartOfDay(atMs: number, style = utcStyle): number {
  const { year, month, day } = getParts(atMs, style)
  return getMidnight(`${year}-${month}-${day}`, style)
}

/** Midnight, or else the first moment, of a calendar day, such as "2026-11-21", in the zone. */
export function getMidnight(day: string, style: TimeStyle): number {
  const utcMs = Date.parse(day)
  const computeMidnight = (approximateMs: number) => utcMs - computeOffset(approximateMs, style)
  // The inner call finds midnight approximately. The outer call uses the zone's offset at that
  // time, so the result is exact even if the clocks change on that day.
  const midnightMs = computeMidnight(computeMidnight(utcMs))
  // If the clocks go forward at midnight, the results alternate between the first moment of the day
  // and an hour before it.
  return Math.max(midnightMs, computeMidnight(midnightMs))
}

/** Offset of the zone from UTC in ms, positive if its clocks are ahead. */
function computeOffset(atMs: number, style: TimeStyle): number {
  const { year, month, day, hour, minute, second } = getParts(atMs, style)
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) - Math.floor(atMs / 1000) * 1000
}

/** The minute of the day, 0 to 1439. */
export function getMinuteOfDay(atMs: number, style = utcStyle): number {
  const { hour, minute } = getParts(atMs, style)
  return Number(hour) * 60 + Number(minute)
}

/**
 * The zone's abbreviation at that time: "UTC", "CET", "GMT+9". The zone of the device is named by
 * its offset, because the first use of Intl is slow.
 */
export function getZoneName(atMs: number, style = utcStyle): string {
  const { timeZone } = style
  if (timeZone === 'UTC') return 'UTC'
  if (timeZone === 'browser') return formatOffset(computeOffset(atMs, style))
  const parts = getFormatter({ timeZone, timeZoneName: 'short' }).formatToParts(atMs)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

/** "UTC", "GMT+9", "GMT-3:30". */
function formatOffset(offsetMs: number): string {
  if (offsetMs === 0) return 'UTC'
  const minutes = Math.abs(offsetMs) / MINUTE_MS
  const minutesText = minutes % 60 === 0 ? '' : `:${padTwoDigits(minutes % 60)}`
  return `GMT${offsetMs > 0 ? '+' : '-'}${Math.floor(minutes / 60)}${minutesText}`
}

/** Tooltip text: the browser's local time with its zone, then UTC. */
export function formatTimeTooltip(atMs: number): string {
  const localTime = getFormatter({ dateStyle: 'medium', timeStyle: 'long' })
  return `${localTime.format(atMs)} (${new Date(atMs).toISOString()})`
}
