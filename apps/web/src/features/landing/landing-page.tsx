import { Suspense } from 'react'
import { paths } from '../../paths.ts'
import { LandingFooter } from '../site/landing-footer.tsx'
import { LandingHeader } from '../site/landing-header.tsx'
import { Features } from './features.tsx'
import { Hero } from './hero.tsx'
import { HowItWorks } from './how-it-works.tsx'
import { Plans } from './plans.tsx'
import { PulseBand } from './pulse-band.tsx'
import { Questions } from './questions.tsx'
import { usePublic } from './use-public.ts'

const HEAD_EVERY_MS = 30_000
const parts = Object.entries({ Features, HowItWorks, Plans, Questions })

/**
 * The public landing page. Prerendered without data. Works without router and session, both
 * standalone and in the app.
 */
export function LandingPage() {
  const head = usePublic('logHead', { everyMs: HEAD_EVERY_MS })
  return (
    <div className="flex min-h-dvh flex-col">
      <LandingHeader current={paths.home} />
      <main id="page" tabIndex={-1} className="flex-1 outline-none">
        <Hero head={head} />
        <Suspense>
          <PulseBand revision={head.data?.root} />
        </Suspense>
        {/* Suspense boundaries hydrate separately, so that input is handled before the whole
            page is hydrated. */}
        {parts.map(([name, Part]) => (
          <Suspense key={name}>
            <Part />
          </Suspense>
        ))}
      </main>
      <LandingFooter root={head.data?.root} />
    </div>
  )
}
