import { type ReactNode, useId } from 'react'

/** The width that all parts of the page share. */
export const container = 'mx-auto w-full max-w-312 px-6 phone:px-4'

interface SectionProps {
  /** For links to this part. */
  anchor: string
  title: string
  lead?: string
  /** With the height that it has on phones, and when it is laid out there: each part in a frame of its own, and nothing moves. */
  className: string
  children: ReactNode
}

export function Section({ anchor, title, lead, className, children }: SectionProps) {
  const titleId = useId()
  return (
    <section id={anchor} aria-labelledby={titleId} className={`${container} ${className} pt-24 phone:pt-16`}>
      <h2 id={titleId} className="text-section">
        {title}
      </h2>
      {lead !== undefined && <p className="mt-3 text-lead text-2">{lead}</p>}
      <div className="mt-8 phone:mt-6">{children}</div>
    </section>
  )
}
