import { type ReactNode, useId } from 'react'

/** Content width of the page. */
export const container = 'mx-auto w-full max-w-312 px-6 phone:px-4'

interface SectionProps {
  /** Element id, for links. */
  anchor: string
  title: string
  lead?: string
  /**
   * Classes that reserve the height of the section, which prevents layout shifts. On phones they
   * also delay its layout (`not-yet` in styles.css). Each section has a different delay, so that
   * the layout of all sections is spread over several frames.
   */
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
