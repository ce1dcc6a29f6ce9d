import { type ReactNode, useEffect, useId, useState } from 'react'
import { pageIsIdle } from '../../load-late.tsx'

/** The width that all parts of the page share. */
export const container = 'mx-auto w-full max-w-312 px-6 phone:px-4'

interface SectionProps {
  /** For links to this part. */
  anchor: string
  title: string
  lead?: string
  /** With the height that it has at either width: at first it is laid out only when it comes near the window, and nothing below it moves. */
  className: string
  children: ReactNode
}

/** Laying out one part takes the time of a frame: they take turns, and no press waits for all of them. */
let lastTurn: Promise<unknown> = Promise.resolve()
function turn(): Promise<unknown> {
  lastTurn = lastTurn.then(pageIsIdle)
  return lastTurn
}

export function Section({ anchor, title, lead, className, children }: SectionProps) {
  const titleId = useId()
  // By then the page has been seen: pictures of the whole page show all of it.
  const [isTakenOver, setIsTakenOver] = useState(false)
  useEffect(() => {
    void turn().then(() => setIsTakenOver(true))
  }, [])
  return (
    <section
      id={anchor}
      aria-labelledby={titleId}
      className={`${container} ${isTakenOver ? '' : `${className} [content-visibility:auto] noscript:[content-visibility:visible]`} pt-24 phone:pt-16`}
    >
      <h2 id={titleId} className="text-section">
        {title}
      </h2>
      {lead !== undefined && <p className="mt-3 text-lead text-2">{lead}</p>}
      <div className="mt-8 phone:mt-6">{children}</div>
    </section>
  )
}
