import { useQuery } from '@tanstack/react-query'
import type { BusinessReach } from '@tocsin/protocol'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Glyph } from '../../ui/identity/priority-glyph.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { kindNames } from '../channels/channel-words.ts'
import { adminQueries } from './admin-queries.ts'
import { FetchedRows } from './fetched-rows.tsx'

/** Whom the newest critical alert reached, or else the newest alert. */
export function ReachPanel() {
  const query = useQuery(adminQueries.reach)
  const { data } = query
  return (
    <Panel title="Reach" detail={data?.alert && <AlertName alert={data.alert} />} flush>
      <FetchedRows
        query={query}
        loading={{ label: 'Loading reach', rows: 3 }}
        failed="Failed to fetch the reach"
        empty={null}
      >
        {data && (data.alert === null ? <NoAlert /> : <Reach data={data} />)}
      </FetchedRows>
    </Panel>
  )
}

function AlertName({ alert: { asset, priority, createdAt } }: { alert: NonNullable<BusinessReach['alert']> }) {
  return (
    <span className="inline-flex items-center gap-2">
      {priority === 'critical' && <Glyph shape="diamond" size={10} className="text-critical" />}
      <span className="text-1">
        {priority} {asset}
      </span>
      <Time at={createdAt} />
    </span>
  )
}

function NoAlert() {
  return <EmptyState title="No alert yet">The reach of the newest critical alert appears here.</EmptyState>
}

function Reach({ data: { entitled, opened, channels } }: { data: BusinessReach }) {
  const failures = channels.reduce((sum, { failed }) => sum + failed, 0)
  return (
    <>
      <dl className="grid grid-cols-2 border-b border-line-1">
        <div className="px-5 py-4 phone:px-4">
          <dt className="text-label text-2">Entitled accounts</dt>
          <dd className="mt-1 text-number">{entitled.toLocaleString(numberLocale)}</dd>
        </div>
        <div className="px-5 py-4 phone:px-4">
          <dt className="text-label text-2">Opened or marked as read</dt>
          <dd className="mt-1 text-number">{opened.toLocaleString(numberLocale)}</dd>
        </div>
      </dl>
      {channels.length === 0 ? (
        <p className="px-5 py-4 text-base text-2 phone:px-4">
          It went to pages and programs only; no channel was set up.
        </p>
      ) : (
        <Table caption="Deliveries by channel">
          <thead>
            <tr>
              <Th>Channel</Th>
              <Th className="text-right">Delivered</Th>
              <Th className="text-right">p50</Th>
              <Th className="text-right">p99</Th>
            </tr>
          </thead>
          <tbody>
            {channels.map(({ kind, delivered, total, p50Seconds, p99Seconds }) => (
              <Tr key={kind} compact>
                <Td>{kindNames[kind]}</Td>
                <Td mono className="text-right">
                  {delivered.toLocaleString(numberLocale)}
                  <span className="text-2">/{total.toLocaleString(numberLocale)}</span>
                </Td>
                <Td mono className="text-right">
                  {secondsWords(p50Seconds)}
                </Td>
                <Td mono className="text-right">
                  {secondsWords(p99Seconds)}
                </Td>
              </Tr>
            ))}
          </tbody>
        </Table>
      )}
      {failures > 0 && (
        <p className="border-t border-line-1 px-5 py-3 text-base text-2 phone:px-4">
          {failures === 1 ? '1 delivery failed.' : `${failures.toLocaleString(numberLocale)} deliveries failed.`} Owners
          see the reason with the destination.
        </p>
      )}
    </>
  )
}

const secondsWords = (seconds: number | null) => (seconds === null ? '—' : `${seconds.toFixed(2)} s`)
