import { formatClock, formatHourMinute } from '../../ui/format-time.ts'
import type { TimeStyle } from '../../ui/time-style.ts'

/** A time in a chart: "13:58:02" or "13:58". */
export function formatChartTime(atMs: number, style: TimeStyle, withSeconds: boolean): string {
  return withSeconds ? formatClock(atMs, style) : formatHourMinute(atMs, style)
}
