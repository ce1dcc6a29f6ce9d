import type { Priority } from '@tocsin/protocol'
import { uiTexts } from '../../texts/ui.ts'
import { type TimeStyle, utcStyle } from '../time-style.ts'
import { clockTime, hourOfDay } from '../time-words.ts'

const texts = uiTexts.pulseLayout

const hourMs = 3_600_000
/** Keeps the hour labels clear of the time at the right edge. */
const labelClearance = 56

export type PulseAlert = { at: string; priority: Priority; id: string }
/** ISO times between which this browser was not connected; an open end is null. */
export type PulseGap = { from: string; to: string | null }

/** How much of the last 24 h lies before a point in time: 0 to 1. */
export function shareAt(atMs: number, nowMs: number): number {
  return 1 - (nowMs - atMs) / (24 * hourMs)
}

/** Px from the left for a point in time; the strip ends at now. */
export function xAt(atMs: number, nowMs: number, width: number): number {
  return Math.round(shareAt(atMs, nowMs) * (width - 12)) + 0.5
}

export type HourMark = { atMs: number; x: number; label: string | null }

/** Hour marks of the last 24 h; `every` says which hours of the day carry a label. */
export function hourMarks(nowMs: number, width: number, every: number, style = utcStyle): HourMark[] {
  const marks: HourMark[] = []
  for (let atMs = Math.ceil((nowMs - 24 * hourMs) / hourMs) * hourMs; atMs <= nowMs; atMs += hourMs) {
    const hour = hourOfDay(atMs, style)
    const x = xAt(atMs, nowMs, width)
    const labelled = hour % every === 0 && x >= 20 && x < width - labelClearance
    marks.push({ atMs, x, label: labelled ? hourLabel(atMs, hour, style) : null })
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
