import type { ReactNode } from 'react'
import { siteTexts } from '../../texts/site.ts'
import { SitePage } from './site-page.tsx'

const texts = siteTexts.legalPage

/** A legal document with the date of its last update. */
export function LegalPage({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <SitePage kind={texts.lastUpdated} isSentence title={title} lead={lead}>
      {children}
    </SitePage>
  )
}
