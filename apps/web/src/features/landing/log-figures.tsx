import type { ReactNode } from 'react'
import { formatCount } from '../../ui/count.ts'
import { Seal } from '../../ui/identity/seal.tsx'
import { shortHash } from '../../ui/short-hex.ts'
import { durationWords } from '../alert/alert-words.ts'
import { type PublicState, usePublic } from './use-public.ts'

/** Current size and root of the log and the median time to anchor. Reserves space while loading. */
export function LogFigures({ head }: { head: PublicState<'logHead'> }) {
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
            <span className="text-data">{shortHash(head.data.root)}</span>
          </>
        )}
      </Entry>
    </dl>
  )
}

function Median({ ms }: { ms: number | null }) {
  if (ms === null) return <span className="text-body text-2">none yet</span>
  return <span className="text-number">{durationWords(ms)}</span>
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
