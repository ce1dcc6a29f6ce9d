import { useQuery } from '@tanstack/react-query'
import { getChain, type LogStats, type PublicConfig } from '@tocsin/protocol'
import { getErrorMessage } from '../../api/api.ts'
import { Address } from '../../ui/address.tsx'
import { formatCount } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { anchorLimit, logQueries } from './log-queries.ts'

type AnchorTableProps = { stats: LogStats | undefined; config: PublicConfig | undefined }

/**
 * The newest anchors with their data on the chain. Renders the final number of rows while loading.
 */
export function AnchorTable({ stats, config }: AnchorTableProps) {
  const hasAnchors = stats !== undefined && stats.anchoredSize > 0
  const { data: anchors, error } = useQuery({ ...logQueries.anchors(stats?.anchoredSize ?? 0), enabled: hasAnchors })
  const rows = Math.min(anchorLimit, anchors?.length ?? stats?.anchors ?? anchorLimit)
  return (
    <Panel
      title="Newest anchors"
      actions={<span className="text-base text-2">{stats && `${formatCount(stats.anchors)} in total`}</span>}
      flush
    >
      {error && !anchors ? (
        <p role="alert" className="p-5 text-base phone:p-4">
          {getErrorMessage(error, 'The anchors can’t be read right now.')}
        </p>
      ) : stats && !hasAnchors ? (
        <p className="p-5 text-base text-2 phone:p-4">
          No anchor yet. The first one comes seconds after the first entry, and will be listed here.
        </p>
      ) : (
        <Table caption="The newest anchors" cards>
          <thead>
            <tr>
              <Th>Entries</Th>
              <Th>Root</Th>
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
                  <Td mono label="Entries">
                    {anchor ? formatCount(anchor.size) : <Skeleton className="h-3 w-14" />}
                  </Td>
                  <Td label="Root" className="whitespace-nowrap">
                    {anchor && <Address value={anchor.root} copy />}
                  </Td>
                  <Td label="Transaction" className="whitespace-nowrap">
                    {anchor && <TransactionLink hash={anchor.transactionHash} config={config} />}
                  </Td>
                  <Td mono className="phone:hidden">
                    {anchor && formatCount(anchor.blockNumber)}
                  </Td>
                  <Td
                    mono
                    label={
                      <>
                        Block time <ZoneName />
                      </>
                    }
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

/** A transaction hash of the anchor chain, linked if the chain has a block explorer. */
function TransactionLink({ hash, config }: { hash: string; config: PublicConfig | undefined }) {
  const explorerUrl = config ? getChain(config.anchor.chainId).explorerUrl : null
  return <Address value={hash} copy {...(explorerUrl === null ? {} : { href: `${explorerUrl}/tx/${hash}` })} />
}
