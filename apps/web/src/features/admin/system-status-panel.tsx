import { useQuery } from '@tanstack/react-query'
import type { SystemStatus } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { queries } from '../../queries.ts'
import { Dot } from '../../shell/status.tsx'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { FetchFailure } from './fetch-failure.tsx'
import { uptimeWords } from './system-health.ts'

const dots = { ok: 'bg-ok', medium: 'bg-medium', critical: 'bg-critical', neutral: 'bg-text-3' }

const feedLooks: Record<SystemStatus['feed']['state'], { dot: string; word: string }> = {
  off: { dot: dots.neutral, word: 'No signal feed' },
  connecting: { dot: dots.medium, word: 'Connecting to the feed' },
  connected: { dot: dots.ok, word: 'Online' },
  reconnecting: { dot: dots.medium, word: 'Reconnecting to the feed' },
  failed: { dot: dots.critical, word: 'Feed failed' },
}

/** What the server measures of itself. */
export function SystemStatusPanel() {
  const { data, error, isFetching, refetch } = useQuery(queries.status)
  return (
    <Panel
      title="System Status"
      right={<span className="text-base text-2 phone:text-hint">Measured, refreshed every 30 s</span>}
    >
      {data && <Rows status={data} />}
      {!data && !error && <SkeletonRows rows={4} label="Loading the system status" />}
      {error && (
        <div className={data && 'mt-4'}>
          <FetchFailure
            fallback={
              data
                ? 'The status could not be read again. This is how it last was.'
                : 'Failed to fetch the system status'
            }
            error={error}
            isFetching={isFetching}
            onRetry={refetch}
          />
        </div>
      )}
    </Panel>
  )
}

function Rows({ status: { feed, stream, anchor, startedAt } }: { status: SystemStatus }) {
  const { dot, word } = feedLooks[feed.state]
  return (
    <dl className="grid gap-x-10 lg:grid-cols-2 [&>*]:border-b [&>*]:border-line-1 max-lg:[&>*:last-child]:border-b-0 lg:[&>*:nth-last-child(-n+2)]:border-b-0">
      <Row label="Analysis system" dot={dot}>
        {word}
        {feed.lastSignalAt !== null && (
          <>
            , last signal <Time at={feed.lastSignalAt} mono={false} />
          </>
        )}
      </Row>
      <Row label="Uptime">
        <Uptime startedAt={startedAt} />
      </Row>
      <Row label="WebSocket" dot={dots.ok}>
        {stream.connected.toLocaleString('en-US')} {stream.connected === 1 ? 'client' : 'clients'} connected
      </Row>
      <Row label="Signals received">
        <span className="text-data text-1">{feed.signalsReceived.toLocaleString('en-US')}</span>
      </Row>
      <Row label="Anchor chain" dot={anchor.state === 'current' ? dots.ok : dots.medium}>
        {anchor.state === 'current' ? 'Current' : 'Delayed'},{' '}
        {anchor.lastAnchoredAt === null ? (
          'no anchor yet'
        ) : (
          <>
            last anchor <Time at={anchor.lastAnchoredAt} mono={false} />
          </>
        )}
      </Row>
      <Row label="Signals refused">
        <span className="text-data text-1">{feed.signalsRefused.toLocaleString('en-US')}</span>
      </Row>
    </dl>
  )
}

function Row({ label, dot, children }: { label: string; dot?: string; children: ReactNode }) {
  return (
    <div className="flex min-h-11 items-center justify-between gap-4 py-1 text-base">
      <dt className="flex items-center gap-3">
        {dot === undefined ? label : <Dot className={dot} />}
        {dot !== undefined && <span className="font-semibold">{label}</span>}
      </dt>
      <dd className="min-w-0 text-right text-2">{children}</dd>
    </div>
  )
}

function Uptime({ startedAt }: { startedAt: string }) {
  const words = useNow((nowMs) => uptimeWords(startedAt, nowMs))
  return <span className="text-data text-1">{words}</span>
}
