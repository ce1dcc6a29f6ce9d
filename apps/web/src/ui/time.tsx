import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'
import {
  formatClock,
  formatClockOrDateTime,
  formatDateTime,
  formatDayUnlessToday,
  formatFullDateTime,
  formatRelativeTime,
  formatTimeTooltip,
  getZoneName,
} from './format-time.ts'
import { useNow } from './now.ts'
import { useTimeStyle } from './time-style.ts'

export type TimeProps = {
  /** ISO time. */
  at: string
  /**
   * relative: "5 min ago" · exact: "14:32:07", or "21 Nov 14:32:07" on another day · clock: always
   * "14:32:07" · date: always "21 Nov 14:32:07" · day: "21 Nov", empty for today · moment:
   * "21 Nov 2026 14:32:07 UTC". All except relative use the page's time style.
   */
  show?: 'relative' | 'exact' | 'clock' | 'date' | 'day' | 'moment'
  /** Monospaced; default true except for relative times. */
  mono?: boolean
  className?: string
}

/** A point in time. The tooltip shows local time and UTC in full. */
export function Time({ at, show = 'exact', mono = show !== 'relative', className }: TimeProps) {
  const atMs = Date.parse(at)
  const style = useTimeStyle()
  const [title, setTitle] = useState<string>()
  const text = useNow((nowMs) => {
    if (show === 'relative') return formatRelativeTime(atMs, nowMs)
    if (show === 'exact') return formatClockOrDateTime(atMs, nowMs, style)
    if (show === 'day') return formatDayUnlessToday(atMs, nowMs, style)
    if (show === 'moment') return formatFullDateTime(atMs, style)
    return show === 'clock' ? formatClock(atMs, style) : formatDateTime(atMs, style)
  })
  return (
    <time
      dateTime={at}
      title={title}
      onPointerEnter={() => setTitle(formatTimeTooltip(atMs))}
      className={classNames('whitespace-nowrap', mono && 'font-mono', className)}
    >
      {text}
    </time>
  )
}

/**
 * The tooltip of a row for keyboard users: the row's time in full and `children`. Visible while the
 * enclosing `group/row` has focus. Do not render it before the row first gets the focus, because
 * creating the time format is slow.
 */
export function TimeTooltip({ at, children }: { at: string; children?: ReactNode }) {
  return (
    <span
      aria-hidden
      className="pointer-events-none absolute top-full right-0 z-10 mt-1 hidden rounded-float border border-line-2 bg-float px-2 py-1 text-data whitespace-nowrap text-1 shadow-float group-focus-visible/row:block phone:hidden!"
    >
      {children && <span className="block font-sans text-base">{children}</span>}
      {formatTimeTooltip(Date.parse(at))}
    </span>
  )
}

/** The page's time zone, for a column header or after a time: "UTC", "CET". */
export function ZoneName() {
  const style = useTimeStyle()
  return useNow((nowMs) => getZoneName(nowMs, style))
}
