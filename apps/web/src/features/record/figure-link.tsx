import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { SiteLink } from '../../ui/site-link.tsx'
import { createAlertsHref, formatLinkTitle, type Selection } from './record-texts.ts'

type FigureLinkProps = {
  selection: Selection
  /** Omits the underline, for links in tables. */
  plain?: boolean
  className?: string
  children: ReactNode
}

/** A number that links to the list of the alerts that it counts. */
export function FigureLink({ selection, plain = false, className, children }: FigureLinkProps) {
  return (
    <SiteLink
      href={createAlertsHref(selection)}
      title={formatLinkTitle(selection)}
      className={classNames(
        'touch-target hover:text-signal',
        plain
          ? 'hover:underline'
          : 'underline decoration-line-2 decoration-1 underline-offset-4 hover:decoration-current',
        className,
      )}
    >
      {children}
    </SiteLink>
  )
}
