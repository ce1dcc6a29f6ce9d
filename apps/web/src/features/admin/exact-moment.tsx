import { formatTimeTooltip } from '../../ui/format-time.ts'
import { dateLocale } from '../../ui/locale.ts'

const words = new Intl.DateTimeFormat(dateLocale, {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
})

/** Full date and time in UTC: "23 Nov 2026 04:39:12". */
export function ExactMoment({ at }: { at: string }) {
  const atMs = Date.parse(at)
  return (
    <time dateTime={at} title={formatTimeTooltip(atMs)} className="font-mono whitespace-nowrap">
      {formatMoment(atMs)}
    </time>
  )
}

/** Formats the same date and time as `ExactMoment`, with the zone: "23 Nov 2026 04:39:12 UTC". */
export function fullMoment(at: string): string {
  return `${formatMoment(Date.parse(at))} UTC`
}

function formatMoment(atMs: number): string {
  return words.format(atMs).replace(',', '')
}
