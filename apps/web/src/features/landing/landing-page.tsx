import { Suspense } from 'react'
import { paths } from '../../paths.ts'
import { Features } from './features.tsx'
import { Hero } from './hero.tsx'
import { HowItWorks } from './how-it-works.tsx'
import { LandingFooter } from './landing-footer.tsx'
import { LandingHeader } from './landing-header.tsx'
import { Plans } from './plans.tsx'
import { PulseBand } from './pulse-band.tsx'
import { Questions } from './questions.tsx'
import { usePublic } from './use-public.ts'

const HEAD_EVERY_MS = 30_000
const parts = Object.entries({ Features, HowItWorks, Plans, Questions })

/** The public front page. It is prerendered without figures and needs neither router nor sign-in: it stands alone as well as within the app. */
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
        {/* Each is taken over in a turn of its own: no press waits for the whole page. */}
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
