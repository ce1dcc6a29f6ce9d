import { getPlan } from '@tocsin/protocol'
import { memo } from 'react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { container } from '../site/section.tsx'
import { LogFigures } from './log-figures.tsx'
import { PublicAlert } from './public-alert.tsx'
import type { PublicState } from './use-public.ts'

const firstPlan = getPlan('6h')

/** Headline, call to action, current state of the log, and a public alert to verify. */
export function Hero({ head }: { head: PublicState<'logHead'> }) {
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
            log on chain. You check it yourself, then act.
          </p>
          <div className="mt-8 flex flex-wrap gap-3 phone:flex-col">
            <Button asChild variant="primary" size="hero">
              <SiteLink href={paths.dashboard}>{`Get ${firstPlan.name} for ${firstPlan.price} ITO`}</SiteLink>
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

/** Decorative seal of the newest root behind the page. Hidden on phones. */
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
