import { useQuery } from '@tanstack/react-query'
import type { LogStats, PublicConfig } from '@tocsin/protocol'
import { sentenceOf } from '../../api.ts'
import { numberLocale } from '../../texts/language.ts'
import { transparencyTexts } from '../../texts/transparency.tsx'
import { Address } from '../../ui/address.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { logQueries, shownAnchors } from './log-queries.ts'
import { TransactionLink } from './transaction-link.tsx'

const texts = transparencyTexts.anchorTable

type AnchorTableProps = { stats: LogStats | undefined; config: PublicConfig | undefined }

/**
 * The newest anchors with their data on the chain. Renders the final number of rows while loading.
 */
export function AnchorTable({ stats, config }: AnchorTableProps) {
  const hasAnchors = stats !== undefined && stats.anchoredSize > 0
  const { data: anchors, error } = useQuery({ ...logQueries.anchors(stats?.anchoredSize ?? 0), enabled: hasAnchors })
  const rows = Math.min(shownAnchors, anchors?.length ?? stats?.anchors ?? shownAnchors)
  return (
    <Panel
      title={texts.newestAnchors}
      right={<span className="text-base text-2">{stats && texts.inAll({ anchors: stats.anchors })}</span>}
      flush
    >
      {error && !anchors ? (
        <p role="alert" className="p-5 text-base phone:p-4">
          {sentenceOf(error, texts.anchorsCantBeReadRight)}
        </p>
      ) : stats && !hasAnchors ? (
        <p className="p-5 text-base text-2 phone:p-4">{texts.noAnchorYetTheFirst}</p>
      ) : (
        <Table caption={texts.caption} cards>
          <thead>
            <tr>
              <Th>{texts.entries}</Th>
              <Th>{texts.root}</Th>
              <Th>{texts.transaction}</Th>
              <Th className="phone:hidden">{texts.block}</Th>
              <Th>{texts.blockTime({ zone: <ZoneName /> })}</Th>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: rows }, (_, row) => {
              const anchor = anchors?.[row]
              return (
                <Tr key={anchor?.size ?? -row}>
                  <Td mono label={texts.entries}>
                    {anchor ? anchor.size.toLocaleString(numberLocale) : <Skeleton className="h-3 w-14" />}
                  </Td>
                  <Td label={texts.root} className="whitespace-nowrap">
                    {anchor && <Address value={anchor.root} copy />}
                  </Td>
                  <Td label={texts.transaction} className="whitespace-nowrap">
                    {anchor && <TransactionLink hash={anchor.transactionHash} config={config} />}
                  </Td>
                  <Td mono className="phone:hidden">
                    {anchor?.blockNumber.toLocaleString(numberLocale)}
                  </Td>
                  <Td
                    mono
                    label={texts.blockTime({ zone: <ZoneName /> })}
                    className="phone:col-start-2 phone:row-start-1"
                  >
                    {anchor && <Time at={anchor.at} />}
                  </Td>
                </Tr>
              )
            })}
          </tbody>
        </Table>
      )}
    </Panel>
  )
}
