import type { Priority } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { formatHourMinute, getMinuteOfDay, padTwoDigits } from '../format-time.ts'
import { type TimeStyle, utcStyle } from '../time-style.ts'

/** Width in px that is reserved at the right edge for the current time. */
const labelClearance = 56

export type PulseAlert = { at: string; priority: Priority; id: string }
/** A period without a connection (ISO times). `to` is null while it lasts. */
export type PulseGap = { from: string; to: string | null }

export const pulseSpans = { '1h': HOUR_MS, '6h': 6 * HOUR_MS, '24h': 24 * HOUR_MS } as const
export type PulseSpan = keyof typeof pulseSpans

/** Position of a time within the span: 0 is the start of the span, 1 is now. */
export function computePositionInSpan(atMs: number, nowMs: number, spanMs: number = pulseSpans['24h']): number {
  return 1 - (nowMs - atMs) / spanMs
}

/** Position of a time in px from the left. The right end is now. */
export function computeX(atMs: number, nowMs: number, width: number, spanMs: number = pulseSpans['24h']): number {
  return Math.round(computePositionInSpan(atMs, nowMs, spanMs) * (width - 12)) + 0.5
}

/** Minutes between the marks of a span, and between the labels. Phones show every second label. */
const spanScales: Record<PulseSpan, { step: number; label: number }> = {
  '1h': { step: 5, label: 15 },
  '6h': { step: 15, label: 60 },
  '24h': { step: 60, label: 180 },
}

export type PulseMark = { atMs: number; x: number; label: string | null }

/** Computes the marks of a span. Marks at round times of the day have a label. */
export function listPulseMarks(
  nowMs: number,
  width: number,
  { span, isPhone, style = utcStyle }: { span: PulseSpan; isPhone: boolean; style?: TimeStyle },
): PulseMark[] {
  const { step, label } = spanScales[span]
  const labelIntervalMinutes = isPhone ? 2 * label : label
  const stepMs = step * MINUTE_MS
  const marks: PulseMark[] = []
  for (let atMs = Math.ceil((nowMs - pulseSpans[span]) / stepMs) * stepMs; atMs <= nowMs; atMs += stepMs) {
    const minute = getMinuteOfDay(atMs, style)
    const x = computeX(atMs, nowMs, width, pulseSpans[span])
    // In zones with a half-hour offset, no mark of the 24-hour span is at a full hour. The first
    // mark after the hour is labelled instead, for example 14:30.
    const isRound = (minute - (minute % step)) % labelIntervalMinutes === 0
    const hasLabel = isRound && x >= 20 && x < width - labelClearance
    marks.push({ atMs, x, label: hasLabel ? formatTickLabel(atMs, minute, style) : null })
  }
  return marks
}

/** "14:00" ("14:30" in zones with a half-hour offset), "2 PM" or "2:15 PM". */
function formatTickLabel(atMs: number, minuteOfTheDay: number, style: TimeStyle): string {
  if (style.hourCycle === '24') return formatHourMinute(atMs, style)
  const [hour, minute] = [Math.floor(minuteOfTheDay / 60), minuteOfTheDay % 60]
  const minutes = minute === 0 ? '' : `:${padTwoDigits(minute)}`
  return `${hour % 12 || 12}${minutes} ${hour < 12 ? 'AM' : 'PM'}`
}

/** The alerts of the span, oldest first. */
export function filterBySpan(alerts: readonly PulseAlert[], nowMs: number, spanMs: number): PulseAlert[] {
  return alerts
    .filter((alert) => nowMs - Date.parse(alert.at) < spanMs)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}
