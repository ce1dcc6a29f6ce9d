import type { ReactNode } from 'react'
import { landingTexts } from '../../texts/landing.tsx'
import { formatCount } from '../../ui/count.ts'
import { Seal } from '../../ui/identity/seal.tsx'
import { shortHash } from '../../ui/short-hex.ts'
import { durationWords } from '../alerts/alert-words.ts'
import { type PublicState, usePublic } from './use-public.ts'

const texts = landingTexts.logFigures

const STATS_EVERY_MS = 60_000

/** Size and root of the log, and how long an entry waits for its anchor, as the server has them now. What is not known yet leaves its place empty. */
export function LogFigures({ head }: { head: PublicState<'logHead'> }) {
  const stats = usePublic('logStats', STATS_EVERY_MS)
  return (
    <dl className="mt-14 flex flex-wrap gap-y-6 phone:gap-x-4 md:divide-x md:divide-line-1 md:*:px-8 md:*:first:pl-0 phone:mt-10 phone:grid phone:grid-cols-2">
      <Entry label={texts.entriesInTheLog} state={head}>
        {head.data && <span className="text-number">{formatCount(head.data.size)}</span>}
      </Entry>
      <Entry label={texts.medianTimeToAnchor} state={stats}>
        {stats.data && <span className="text-number">{medianWords(stats.data.timeToAnchor.medianMs)}</span>}
      </Entry>
      <Entry label={texts.latestRoot} state={head}>
        {head.data && (
          <>
            <Seal
              leafHash={head.data.root}
              root={head.data.root}
              state={head.data.anchored ? 'anchored' : 'unsigned'}
              size={28}
            />
            <span className="text-data">{shortHash(head.data.root)}</span>
          </>
        )}
      </Entry>
    </dl>
  )
}

function medianWords(medianMs: number | null): string {
  return medianMs === null ? texts.noneYet : durationWords(medianMs)
}

interface EntryProps {
  label: string
  state: { data: object | null; isError: boolean }
  children: ReactNode
}

function Entry({ label, state, children }: EntryProps) {
  return (
    <div className="min-w-36">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-1 flex h-8 items-center gap-3 whitespace-nowrap">
        {state.data === null && state.isError ? texts.notAvailable : children}
      </dd>
    </div>
  )
}
