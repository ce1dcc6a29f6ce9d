import type { BusinessReach } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Glyph } from '../../ui/identity/priority-glyph.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { kindNames } from '../channels/channel-texts.ts'
import { percent } from './business-texts.ts'

export const reachTexts = {
  loading: { label: 'Loading reach', rows: 3 },
  failed: 'Failed to fetch the reach',
  empty: null,
}

export function AlertName({ alert: { asset, priority } }: { alert: NonNullable<BusinessReach['alert']> }) {
  return (
    <span className="inline-flex items-center gap-2">
      {priority === 'critical' && <Glyph shape="diamond" size={10} className="text-critical" />}
      <span className="text-1 first-letter:uppercase">
        {priority} {asset}
      </span>
    </span>
  )
}

export function NoAlert() {
  return (
    <EmptyState isCompact title="No alert yet">
      After a broadcast, you see here how many accounts it reached, through which channels and how fast.
    </EmptyState>
  )
}

export function Reach({ data }: { data: BusinessReach }) {
  const { alert, entitled, reached, firstWay, opened, verified, stream, channels, failures } = data
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2 px-5 py-4 phone:px-4">
        <p>
          <span className="text-number">{formatCount(reached)}</span>{' '}
          <span className="text-base text-2">
            of {formatCount(entitled)} reached{entitled > 0 && `, ${percent(reached, entitled)}`}
          </span>
          {alert && (
            <span className="block text-hint text-2">
              Sent at <Time at={alert.sentAt} className="text-1" />
            </span>
          )}
        </p>
        <p className="text-hint text-2">
          <Fastest seconds={firstWay} />
          <span className="block">
            <Figure>{formatCount(opened)}</Figure> opened it, <Figure>{formatCount(verified)}</Figure> checked its proof
          </span>
        </p>
      </div>
      {stream === null && channels.length === 0 ? (
        <p className="border-t border-line-1 px-5 py-4 text-base text-2 phone:px-4">
          The alert went only to open pages and programs; no channel was set up.
        </p>
      ) : (
        <Table wide caption="Deliveries by channel">
          <thead>
            <tr className="border-t border-line-1">
              <Th>Channel</Th>
              <Th className="text-right">Delivered</Th>
              <Th className="text-right">p50</Th>
              <Th className="text-right phone:hidden">p95</Th>
              <Th className="text-right">p99</Th>
            </tr>
          </thead>
          <tbody>
            {stream !== null && (
              <ChannelRow name="In page" delivered={stream.accounts} total={entitled} latencies={stream} />
            )}
            {channels.map((channel) => (
              <ChannelRow
                key={channel.kind}
                name={kindNames[channel.kind]}
                delivered={channel.delivered}
                total={channel.total}
                note={formatPendingDeliveries(channel)}
                latencies={channel}
              />
            ))}
          </tbody>
        </Table>
      )}
      {failures.length > 0 && (
        <div className="border-t border-line-1 px-5 py-3 text-base text-2 phone:px-4">
          <h3 className="text-label">Failed</h3>
          <ul className="mt-1 grid gap-1">
            {failures.map(({ kind, reason, count }) => (
              <li key={`${kind} ${reason}`} className="wrap-anywhere">
                <span className="text-data text-1">{formatCount(count)}</span> {kindNames[kind]}: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

/**
 * Shows within what time the alert reached half and 99% of the accounts, by the first channel that
 * delivered it to each account.
 */
function Fastest({ seconds: { p50Seconds, p99Seconds } }: { seconds: BusinessReach['firstWay'] }) {
  if (p50Seconds === null) return 'No delivery time known'
  return (
    <>
      Half within <Figure>{formatSeconds(p50Seconds)}</Figure>, 99% within <Figure>{formatSeconds(p99Seconds)}</Figure>
    </>
  )
}

const Figure = ({ children }: { children: ReactNode }) => <span className="text-data text-1">{children}</span>

/**
 * Describes deliveries that have neither succeeded nor failed: "2 waiting, 1 skipped". Empty if
 * there are no such deliveries.
 */
function formatPendingDeliveries({ waiting, skipped }: BusinessReach['channels'][number]): string {
  return [
    ...(waiting > 0 ? [`${formatCount(waiting)} waiting`] : []),
    ...(skipped > 0 ? [`${formatCount(skipped)} skipped`] : []),
  ].join(', ')
}

interface ChannelRowProps {
  name: string
  delivered: number
  total: number
  note?: string
  latencies: Pick<BusinessReach['firstWay'], 'p50Seconds' | 'p95Seconds' | 'p99Seconds'>
}

function ChannelRow({ name, delivered, total, note = '', latencies }: ChannelRowProps) {
  const { p50Seconds, p95Seconds, p99Seconds } = latencies
  return (
    <Tr compact>
      <Td>
        {name}
        {note !== '' && <span className="block text-hint text-2">{note}</span>}
      </Td>
      <Td mono className="text-right">
        {formatCount(delivered)}
        <span className="text-2">/{formatCount(total)}</span>
      </Td>
      {Object.entries({ p50Seconds, p95Seconds, p99Seconds }).map(([percentile, seconds]) => (
        <Td key={percentile} mono className={percentile === 'p95Seconds' ? 'text-right phone:hidden' : 'text-right'}>
          {formatSeconds(seconds)}
        </Td>
      ))}
    </Tr>
  )
}

const formatSeconds = (seconds: number | null) =>
  seconds === null ? '—' : seconds < 100 ? `${seconds.toFixed(2)} s` : `${Math.round(seconds / 60)} min`
