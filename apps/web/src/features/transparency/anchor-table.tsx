import { useQuery } from '@tanstack/react-query'
import type { LogStats, PublicConfig } from '@tocsin/protocol'
import { sentenceOf } from '../../api.ts'
import { Address } from '../../ui/address.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { logQueries, shownAnchors } from './log-queries.ts'
import { TransactionLink } from './transaction-link.tsx'

type AnchorTableProps = { stats: LogStats | undefined; config: PublicConfig | undefined }

/** The newest anchors with what anybody can look up on the chain. As many rows as there will be, from the start. */
export function AnchorTable({ stats, config }: AnchorTableProps) {
  const hasAnchors = stats !== undefined && stats.anchoredSize > 0
  const { data: anchors, error } = useQuery({ ...logQueries.anchors(stats?.anchoredSize ?? 0), enabled: hasAnchors })
  const rows = Math.min(shownAnchors, anchors?.length ?? stats?.anchors ?? shownAnchors)
  return (
    <Panel
      title="Newest anchors"
      right={<span className="text-base text-2">{stats && `${stats.anchors.toLocaleString('en-US')} in all`}</span>}
      flush
    >
      {error && !anchors ? (
        <p role="alert" className="p-5 text-base phone:p-4">
          {sentenceOf(error, 'The anchors can’t be read right now.')}
        </p>
      ) : stats && !hasAnchors ? (
        <p className="p-5 text-base text-2 phone:p-4">
          No anchor yet. The first one comes seconds after the first entry, and will be listed here.
        </p>
      ) : (
        <Table caption="The newest anchors">
          <thead>
            <tr>
              <Th>Entries</Th>
              <Th className="phone:hidden">Root</Th>
              <Th>Transaction</Th>
              <Th className="phone:hidden">Block</Th>
              <Th>
                Block time <ZoneName />
              </Th>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: rows }, (_, row) => {
              const anchor = anchors?.[row]
              return (
                <Tr key={anchor?.size ?? -row}>
                  <Td mono>{anchor ? anchor.size.toLocaleString('en-US') : <Skeleton className="h-3 w-14" />}</Td>
                  <Td className="whitespace-nowrap phone:hidden">{anchor && <Address value={anchor.root} copy />}</Td>
                  <Td className="whitespace-nowrap">
                    {anchor && <TransactionLink hash={anchor.transactionHash} config={config} />}
                  </Td>
                  <Td mono className="phone:hidden">
                    {anchor?.blockNumber.toLocaleString('en-US')}
                  </Td>
                  <Td mono>{anchor && <Time at={anchor.at} />}</Td>
                </Tr>
              )
            })}
          </tbody>
        </Table>
      )}
    </Panel>
  )
}
