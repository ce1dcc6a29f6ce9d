import type { ReactNode } from 'react'
import { SitePage } from './site-page.tsx'

/** A page that binds the operator, with the day of its wording. */
export function LegalPage({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <SitePage kind="Last updated January 16, 2025" title={title} lead={lead}>
      {children}
    </SitePage>
  )
}
