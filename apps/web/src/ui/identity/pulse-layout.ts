import type { Priority } from '@tocsin/protocol'
import { shellTexts } from '../../texts/shell.tsx'
import { type TimeStyle, utcStyle } from '../time-style.ts'
import { clockTime, hourOfDay } from '../time-words.ts'

const texts = shellTexts.pulseLayout

const dayMinutes = 1440
const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Keeps the hour labels clear of the time at the right edge. */
const labelClearance = 56

export type PulseAlert = { at: string; priority: Priority; id: string }
/** ISO times between which this browser was not connected; an open end is null. */
export type PulseGap = { from: string; to: string | null }

/** Px from the left for a point in time; the strip ends at now. */
export function xAt(atMs: number, nowMs: number, width: number): number {
  const minutes = dayMinutes - (nowMs - atMs) / minuteMs
  return Math.round((minutes / dayMinutes) * (width - 12)) + 0.5
}

export type HourMark = { x: number; label: string | null }

/** Hour marks of the last 24 h; `every` says which hours of the day carry a label. */
export function hourMarks(nowMs: number, width: number, every: number, style = utcStyle): HourMark[] {
  const marks: HourMark[] = []
  for (let atMs = Math.ceil((nowMs - 24 * hourMs) / hourMs) * hourMs; atMs <= nowMs; atMs += hourMs) {
    const hour = hourOfDay(atMs, style)
    const x = xAt(atMs, nowMs, width)
    const labelled = hour % every === 0 && x >= 20 && x < width - labelClearance
    marks.push({ x, label: labelled ? hourLabel(atMs, hour, style) : null })
  }
  return marks
}

/** "14:00", "14:30" where zones are half an hour off, or "2 PM". */
function hourLabel(atMs: number, hour: number, style: TimeStyle): string {
  if (style.hourCycle === '12') return texts.halfDayHour({ hour: hour % 12 || 12, isMorning: hour < 12 })
  return clockTime(atMs, style).slice(0, 5)
}

/** What lies in the last 24 h, oldest first. */
export function withinDay(alerts: readonly PulseAlert[], nowMs: number): PulseAlert[] {
  return alerts
    .filter((alert) => nowMs - Date.parse(alert.at) < 24 * hourMs)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}
