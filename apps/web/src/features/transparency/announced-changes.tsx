import { queryOptions, useQuery } from '@tanstack/react-query'
import { type AnnouncedChange, getChain } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'

const announcedQuery = queryOptions({
  queryKey: ['/api/announced-changes'],
  queryFn: ({ signal }) => call('listAnnouncedChanges', { signal }),
  refetchOnMount: 'always',
})

const kindLabels = { chain: 'Payment chain', treasury: 'Treasury', signer: 'Signing key' } as const

/** Approved changes of chain, treasury and signing key. Renders nothing if there are no changes. */
export function AnnouncedChanges() {
  const { data = [] } = useQuery(announcedQuery)
  if (data.length === 0) return null
  return (
    <div className="mt-4">
      <Panel title="Announced changes" flush>
        <ul className="divide-y divide-line-1">
          {data.map((change) => (
            <ChangeRow key={`${change.kind} ${change.chainId} ${change.effectiveAt}`} change={change} />
          ))}
        </ul>
      </Panel>
    </div>
  )
}

function ChangeRow({ change: { kind, chainId, from, to, effectiveAt, outcome } }: { change: AnnouncedChange }) {
  const formatValue = (value: string) => (kind === 'chain' ? getChain(Number(value)).name : value)
  return (
    <li className="grid gap-1 px-5 py-3 text-base phone:px-4">
      <span className="font-semibold">
        {kindLabels[kind]}
        {chainId !== null && `, ${getChain(chainId).name}`}
      </span>
      <span className="text-data wrap-anywhere">
        {from !== null && <span className="text-2">{formatValue(from)} → </span>}
        {formatValue(to)}
      </span>
      {effectiveAt !== null && (
        <span className="text-2">
          {outcome === null ? 'Takes effect' : 'In effect since'} <Time at={effectiveAt} />
          {outcome === 'forced'
            ? '. It was set on the server without the approval of two admins.'
            : '. Two admins have approved it.'}
        </span>
      )}
    </li>
  )
}
