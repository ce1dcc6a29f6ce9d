import { getPlan } from '@tocsin/protocol'
import { memo, type ReactNode, Suspense } from 'react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { Seal } from '../../ui/identity/seal.tsx'
import { shortenHash } from '../../ui/short-hex.ts'
import { SiteLink } from '../../ui/site-link.tsx'
import { formatDuration } from '../alert/alert-texts.ts'
import { LandingFooter } from '../site/landing-footer.tsx'
import { LandingHeader } from '../site/landing-header.tsx'
import { container } from '../site/section.tsx'
import { Features } from './features.tsx'
import { HowItWorks } from './how-it-works.tsx'
import { Plans } from './plans.tsx'
import { PublicAlert } from './public-alert.tsx'
import { PulseBand } from './pulse-band.tsx'
import { Questions } from './questions.tsx'
import { type PublicState, usePublic } from './use-public.ts'

const HEAD_EVERY_MS = 30_000
const pageSections = Object.entries({ Features, HowItWorks, Plans, Questions })

/**
 * The public landing page. It is prerendered without data, and works without router and session, so
 * it can be used both standalone and in the app.
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
        {pageSections.map(([name, Part]) => (
          <Suspense key={name}>
            <Part />
          </Suspense>
        ))}
      </main>
      <LandingFooter root={head.data?.root} />
    </div>
  )
}

const firstPlan = getPlan('6h')

/** Headline, call to action, current state of the log, and a public alert to verify. */
function Hero({ head }: { head: PublicState<'logHead'> }) {
  return (
    <section aria-labelledby="tagline" className="relative overflow-hidden border-b border-line-1">
      {head.data && <LogSeal root={head.data.root} />}
      <div
        className={`${container} relative grid items-center gap-12 py-24 lg:min-h-175 lg:grid-cols-[minmax(0,1fr)_480px] lg:py-16 phone:gap-10 phone:pt-10 phone:pb-12`}
      >
        <div>
          <p className="text-label text-2 phone:hidden">Market Intelligence</p>
          <h1 id="tagline" className="mt-4 text-hero phone:mt-0">
            Market alarms, <br />
            under seal.
          </h1>
          <p className="mt-6 max-w-120 text-[18px]/7 text-pretty phone:mt-5 phone:text-lead">
            Tocsin signs every market anomaly the moment it is found, writes it to an append-only log and anchors that
            log on chain. You check each alert yourself, then act.
          </p>
          <div className="mt-8 flex flex-wrap gap-3 phone:flex-col">
            <Button asChild variant="primary" size="hero">
              <SiteLink
                href={`${paths.dashboard}?plan=${firstPlan.id}`}
              >{`Get ${firstPlan.name} for ${firstPlan.price} ITO`}</SiteLink>
            </Button>
            <Button asChild variant="ghost" size="hero">
              <SiteLink href={`${paths.home}#how-it-works`}>How it works</SiteLink>
            </Button>
          </div>
          <LogFigures head={head} />
        </div>
        <PublicAlert />
      </div>
    </section>
  )
}

/** Decorative seal of the newest log root, behind the page. Hidden on phones. */
const LogSeal = memo(function LogSeal({ root }: { root: string }) {
  return (
    <div
      aria-hidden
      className="absolute -top-18 left-1/2 -ml-88 animate-fade [mask-image:linear-gradient(to_right,transparent_26%,black_52%)] opacity-80 max-lg:-top-40 max-lg:-right-140 max-lg:left-auto max-lg:[mask-image:none] phone:hidden"
    >
      <Seal leafHash={root} root={root} state="anchored" size={840} decorative />
    </div>
  )
})

/**
 * Shows the size and the root of the log, and the median time to anchor. Reserves space while
 * loading.
 */
function LogFigures({ head }: { head: PublicState<'logHead'> }) {
  const stats = usePublic('logStats', { revision: head.data?.root })
  return (
    <dl className="mt-14 flex phone:gap-x-4 phone:gap-y-6 md:divide-x md:divide-line-1 md:*:px-6 md:*:first:pl-0 lg:*:px-8 phone:mt-10 phone:grid phone:grid-cols-2">
      <Entry label="Entries in the log" state={head}>
        {head.data && <span className="text-number">{formatCount(head.data.size)}</span>}
      </Entry>
      <Entry label="Median time to anchor" state={stats}>
        {stats.data && <Median ms={stats.data.timeToAnchor.medianMs} />}
      </Entry>
      <Entry label="Latest root" state={head}>
        {head.data && (
          <>
            <Seal
              leafHash={head.data.root}
              root={head.data.root}
              state={head.data.anchored ? 'anchored' : 'unsigned'}
              size={28}
            />
            <span className="text-data">{shortenHash(head.data.root)}</span>
          </>
        )}
      </Entry>
    </dl>
  )
}

function Median({ ms }: { ms: number | null }) {
  if (ms === null) return <span className="text-body text-2">none yet</span>
  return <span className="text-number">{formatDuration(ms)}</span>
}

interface EntryProps {
  label: string
  state: { data: object | null; isError: boolean }
  children: ReactNode
}

function Entry({ label, state, children }: EntryProps) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-auto flex h-9 items-center pt-1 gap-3 whitespace-nowrap">
        {state.data === null && state.isError ? 'not available' : children}
      </dd>
    </div>
  )
}
