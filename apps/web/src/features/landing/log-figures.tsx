import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queries } from '../../queries.ts'
import { Seal } from '../../ui/identity/seal.tsx'
import { shortHash } from '../../ui/short-hex.ts'
import { Time } from '../../ui/time.tsx'

/** Size, age of the newest anchor and root of the log, as the server has them now. Absent values leave their place empty. */
export function LogFigures() {
  const { data: head, isError } = useQuery(queries.logHead)
  const absent = isError ? 'not available' : null
  return (
    <dl className="mt-14 flex flex-wrap gap-y-6 md:divide-x md:divide-line-1 md:*:px-8 md:*:first:pl-0 phone:mt-10 phone:grid phone:grid-cols-2">
      <Entry label="Alerts in the log">
        {head ? <span className="text-number">{head.size.toLocaleString('en-US')}</span> : absent}
      </Entry>
      <Entry label="Newest anchor" wide>
        {head?.anchored ? (
          <Time at={head.anchored.at} show="relative" className="text-h2" />
        ) : head ? (
          'none yet'
        ) : (
          absent
        )}
      </Entry>
      <Entry label="Latest root">
        {head ? (
          <>
            <Seal leafHash={head.root} root={head.root} state={head.anchored ? 'anchored' : 'unsigned'} size={28} />
            <span className="text-data">{shortHash(head.root)}</span>
          </>
        ) : (
          absent
        )}
      </Entry>
    </dl>
  )
}

interface EntryProps {
  label: string
  /** Keeps room for the longest words of an age, so that nothing beside it moves. */
  wide?: boolean
  children: ReactNode
}

function Entry({ label, wide = false, children }: EntryProps) {
  return (
    <div className={wide ? 'min-w-36 md:min-w-54' : 'min-w-36'}>
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-1 flex h-8 items-center gap-3 whitespace-nowrap">{children}</dd>
    </div>
  )
}
