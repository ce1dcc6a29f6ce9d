import { useQuery } from '@tanstack/react-query'
import type { AdminSystem } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { Dot } from '../../shell/status.tsx'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { formatDuration } from '../alert/alert-texts.ts'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { formatMessageTimes } from './business-texts.ts'
import { dotClasses, feedStyles } from './feed-styles.ts'
import { refusedSignalsId } from './refused-signals.tsx'
import { formatUptimeClock } from './system-health.ts'

const anchorDots: Record<string, string> = {
  current: dotClasses.ok,
  delayed: dotClasses.medium,
  stopped: dotClasses.critical,
}

/** Measured state of the server and its connections. */
export function SystemStatusPanel() {
  const query = useQuery(adminQueries.system)
  const { data, error } = query
  return (
    <Panel title="System Status" actions={<span className="text-base text-2 phone:text-hint">Measured, live</span>}>
      {data && <Rows system={data} />}
      {!data && !error && <Loading />}
      {error && (
        <div className={data && 'mt-4'}>
          <AdminQueryError
            fallback={
              data
                ? 'Failed to refresh the status. Showing the last known values.'
                : 'Failed to fetch the system status'
            }
            query={query}
          />
        </div>
      )}
    </Panel>
  )
}

function Rows({ system: { feed, stream, anchor, payments, startedAt } }: { system: AdminSystem }) {
  const feedStyle = feedStyles[feed.state]
  const style = useTimeStyle()
  return (
    <dl className="-my-2 grid divide-y divide-line-1">
      <Row label="Analysis system" dot={feedStyle.dot}>
        {feed.state === 'connected' && feed.isQuiet ? 'Online, quiet' : feedStyle.analysis}
      </Row>
      <Row label="WebSocket" dot={dotClasses.ok}>
        {`Connected, ${formatCountOf(stream.connected, 'client')}`}
      </Row>
      <Row label="Signal feed" dot={feedStyle.dot}>
        {feedStyle.feed}
        {feed.pingMs !== null && `, ping ${Math.round(feed.pingMs)} ms`}
        {feed.state !== 'off' && <span className="block font-mono text-data wrap-anywhere">{feed.endpoint}</span>}
        {feed.lastError !== null && feed.state !== 'connected' && <span className="block">{feed.lastError}</span>}
      </Row>
      <Row label="Anchor chain" dot={anchorDots[anchor.state] ?? dotClasses.neutral}>
        {anchor.lastAnchoredAt === null ? 'No anchor yet' : <LastAnchor at={anchor.lastAnchoredAt} />}
        {anchor.reason !== null && (
          <span className="block">{capitalize(formatMessageTimes(anchor.reason, style))}</span>
        )}
      </Row>
      <Row label="Payment watcher" dot={payments.trouble === null ? dotClasses.ok : dotClasses.critical}>
        {payments.trouble === null ? formatBlockLag(payments) : formatMessageTimes(payments.trouble, style)}
      </Row>
      <Row label="Uptime">
        <Uptime startedAt={startedAt} />
      </Row>
      <Row label="Signals received">
        <span className="text-data text-1">{formatCount(feed.signalsReceived)}</span>
        {feed.lastSignalAt !== null && (
          <>
            , last <Time at={feed.lastSignalAt} mono={false} />
          </>
        )}
      </Row>
      <Row label="Signals rejected">
        {feed.signalsRefused === 0 ? (
          <span className="text-data text-1">0</span>
        ) : (
          <a href={`#${refusedSignalsId}`} className="link touch-target font-medium">
            {formatCount(feed.signalsRefused)} to look at
          </a>
        )}
      </Row>
    </dl>
  )
}

function LastAnchor({ at }: { at: string }) {
  return (
    <>
      Last anchor <Time at={at} mono={false} />
    </>
  )
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function formatBlockLag({ behindBlocks, behindSeconds }: AdminSystem['payments']): string {
  if (behindBlocks === null && behindSeconds === null) return 'Not measured yet'
  if (behindBlocks === 0) return 'Up to date'
  const blocks = behindBlocks === null ? '' : formatCountOf(behindBlocks, 'block')
  const time = behindSeconds === null ? '' : formatDuration(behindSeconds * 1000)
  return `Behind by ${[blocks, time].filter(Boolean).join(', ')}`
}

function Row({ label, dot, children }: { label: string; dot?: string; children: ReactNode }) {
  return (
    <div className="flex min-h-11 items-center justify-between gap-x-4 py-1.5 text-base phone:flex-wrap">
      <dt className="flex shrink-0 items-center gap-3">
        {dot === undefined ? <span className="pl-4.5">{label}</span> : <Dot className={dot} />}
        {dot !== undefined && <span className="font-semibold">{label}</span>}
      </dt>
      <dd className="ml-auto min-w-0 text-right wrap-anywhere text-2">{children}</dd>
    </div>
  )
}

function Uptime({ startedAt }: { startedAt: string }) {
  const words = useNow((nowMs) => formatUptimeClock(startedAt, nowMs))
  return <span className="text-data text-1">{words}</span>
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the system status" className="-my-2 divide-y divide-line-1">
      {[...Array(8).keys()].map((row) => (
        <div key={row} className="flex h-11 items-center justify-between">
          <Skeleton className="h-2 w-28" />
          <Skeleton className="h-2 w-20" />
        </div>
      ))}
    </div>
  )
}
