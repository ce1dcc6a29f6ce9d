import { useState } from 'react'
import { classNames } from './class-names.ts'
import { useNow } from './now.ts'
import { useTimeStyle } from './time-style.ts'
import { clockTime, dateTime, exactTime, fullTime, relativeTime, zoneName } from './time-words.ts'

export type TimeProps = {
  /** ISO time. */
  at: string
  /**
   * relative: "5 minutes ago" · exact: "14:32:07", of another day "21 Nov 14:32" · clock: always "14:32:07" · date: always
   * "21 Nov 14:32". All but relative are in the page's zone and on its clock.
   */
  show?: 'relative' | 'exact' | 'clock' | 'date'
  /** In the mono face; all but relative are, unless told otherwise. */
  mono?: boolean
  className?: string
}

/** A point in time. The tooltip says it in full, local and UTC. */
export function Time({ at, show = 'exact', mono = show !== 'relative', className }: TimeProps) {
  const atMs = Date.parse(at)
  const style = useTimeStyle()
  const [title, setTitle] = useState<string>()
  const words = useNow((nowMs) => {
    if (show === 'relative') return relativeTime(atMs, nowMs)
    if (show === 'exact') return exactTime(atMs, nowMs, style)
    return show === 'clock' ? clockTime(atMs, style) : dateTime(atMs, style)
  })
  return (
    <time
      dateTime={at}
      title={title}
      onPointerEnter={() => setTitle(fullTime(atMs))}
      className={classNames('whitespace-nowrap', mono && 'font-mono', className)}
    >
      {words}
    </time>
  )
}

/** What the tooltip of a time says, for the keyboard: shows while the row around it, a `group/row`, has focus. */
export function TimeTip({ at }: { at: string }) {
  return (
    <span
      aria-hidden
      className="pointer-events-none absolute top-full right-0 z-10 mt-1 hidden rounded-float border border-line-2 bg-float px-2 py-1 text-data whitespace-nowrap text-1 shadow-float group-focus-visible/row:block phone:hidden!"
    >
      {fullTime(Date.parse(at))}
    </span>
  )
}

/** The zone that the page's times are in, as a column's head or after a time: "UTC", "CET". */
export function ZoneName() {
  const style = useTimeStyle()
  return useNow((nowMs) => zoneName(nowMs, style))
}
