import type { Priority } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { clockTime, hourOfDay } from '../format-time.ts'
import { type TimeStyle, utcStyle } from '../time-style.ts'

/** Px reserved for the current time at the right edge. */
const labelClearance = 56

export type PulseAlert = { at: string; priority: Priority; id: string }
/** A time without a connection (ISO times). `to` is null while it lasts. */
export type PulseGap = { from: string; to: string | null }

/** Position of a time within the last 24 h: 0 is 24 h ago, 1 is now. */
export function shareAt(atMs: number, nowMs: number): number {
  return 1 - (nowMs - atMs) / (24 * HOUR_MS)
}

/** Px from the left; the right end is now. */
export function xAt(atMs: number, nowMs: number, width: number): number {
  return Math.round(shareAt(atMs, nowMs) * (width - 12)) + 0.5
}

export type HourMark = { atMs: number; x: number; label: string | null }

/** Hour marks of the last 24 h. Hours of the day divisible by `every` have a label. */
export function hourMarks(nowMs: number, width: number, every: number, style = utcStyle): HourMark[] {
  const marks: HourMark[] = []
  for (let atMs = Math.ceil((nowMs - 24 * HOUR_MS) / HOUR_MS) * HOUR_MS; atMs <= nowMs; atMs += HOUR_MS) {
    const hour = hourOfDay(atMs, style)
    const x = xAt(atMs, nowMs, width)
    const labelled = hour % every === 0 && x >= 20 && x < width - labelClearance
    marks.push({ atMs, x, label: labelled ? hourLabel(atMs, hour, style) : null })
  }
  return marks
}

/** "14:00" ("14:30" in zones with a half-hour offset) or "2 PM". */
function hourLabel(atMs: number, hour: number, style: TimeStyle): string {
  if (style.hourCycle === '12') return `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}`
  return clockTime(atMs, style).slice(0, 5)
}

/** The alerts of the last 24 h, oldest first. */
export function withinDay(alerts: readonly PulseAlert[], nowMs: number): PulseAlert[] {
  return alerts
    .filter((alert) => nowMs - Date.parse(alert.at) < 24 * HOUR_MS)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}
