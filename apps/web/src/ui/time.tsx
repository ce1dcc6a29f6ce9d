import { useState } from 'react'
import { classNames } from './class-names.ts'
import { useNow } from './now.ts'
import { clockTime, dateTime, exactTime, fullTime, relativeTime } from './time-words.ts'

export type TimeProps = {
  /** ISO time. */
  at: string
  /**
   * relative: "5 minutes ago" · exact: "14:32:07", after a day "21 Nov 14:32" · clock: always "14:32:07" · date: always
   * "21 Nov 14:32". All but relative are UTC.
   */
  show?: 'relative' | 'exact' | 'clock' | 'date'
  /** In the mono face; all but relative are, unless told otherwise. */
  mono?: boolean
  className?: string
}

/** A point in time. The tooltip says it in full, local and UTC. */
export function Time({ at, show = 'exact', mono = show !== 'relative', className }: TimeProps) {
  const atMs = Date.parse(at)
  const [title, setTitle] = useState<string>()
  const words = useNow((nowMs) => {
    if (show === 'relative') return relativeTime(atMs, nowMs)
    if (show === 'exact') return exactTime(atMs, nowMs)
    return show === 'clock' ? clockTime(atMs) : dateTime(atMs)
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
