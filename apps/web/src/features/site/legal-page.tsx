import type { ReactNode } from 'react'
import { SitePage } from './site-page.tsx'

/** A legal document with the date of its last update. */
export function LegalPage({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <SitePage kind="Last updated January 16, 2025" isSentence title={title} lead={lead}>
      {children}
    </SitePage>
  )
}
