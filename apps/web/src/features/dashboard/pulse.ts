import { priorities, type ReadableAlert } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { PulseAlert } from '../../ui/identity/pulse-layout.ts'

const columnCount = 480

/**
 * Returns the alerts of a time span for the pulse timeline, and for each column only the most
 * severe one. A column is three minutes if the span is a day. This keeps a busy day readable and
 * fast to draw.
 */
export function selectPulseAlerts(
  alerts: readonly ReadableAlert[],
  nowMs: number,
  spanMs: number = DAY_MS,
): PulseAlert[] {
  const byColumn = new Map<number, PulseAlert>()
  for (const { id, priority, createdAt } of alerts) {
    const ageMs = nowMs - Date.parse(createdAt)
    if (ageMs >= spanMs) continue
    const column = Math.floor((Math.max(0, ageMs) / spanMs) * columnCount)
    const columnAlert = byColumn.get(column)
    if (!columnAlert || priorities.indexOf(priority) > priorities.indexOf(columnAlert.priority))
      byColumn.set(column, { id, priority, at: createdAt })
  }
  return [...byColumn.values()]
}
