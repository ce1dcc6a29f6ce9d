import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LandingFooter } from './landing-footer.tsx'
import { LandingHeader } from './landing-header.tsx'
import { container } from './section.tsx'

interface SitePageProps {
  /** The line above the title, in capitals unless `isSentence`. */
  kind: string
  isSentence?: boolean
  title: string
  lead: string
  children: ReactNode
}

/** Layout of a public page, with the site's header and footer. */
export function SitePage({ kind, isSentence = false, title, lead, children }: SitePageProps) {
  const currentPath = useLocation({ select: ({ pathname }) => pathname })
  return (
    <div className="flex min-h-dvh flex-col">
      <LandingHeader current={currentPath} />
      <main id="page" tabIndex={-1} className={`${container} flex-1 pt-16 outline-none phone:pt-10`}>
        <p className={isSentence ? 'text-data text-2' : 'text-label text-2'}>{kind}</p>
        <h1 className="mt-3 text-verdict text-balance phone:text-h1">{title}</h1>
        <p className="mt-4 max-w-160 text-lead text-2">{lead}</p>
        {children}
      </main>
      <LandingFooter />
    </div>
  )
}
