import { useQuery } from '@tanstack/react-query'
import type { AdminSystem } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { Dot } from '../../shell/status.tsx'
import { adminSystemTexts } from '../../texts/admin-system.tsx'
import { numberLocale } from '../../texts/language.ts'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { durationWords } from '../alerts/alert-words.ts'
import { adminQueries } from './admin-queries.ts'
import { dots, feedLooks } from './feed-looks.ts'
import { FetchFailure } from './fetch-failure.tsx'
import { refusedSignalsId } from './refused-signals.tsx'
import { uptimeWords } from './system-health.ts'

const texts = adminSystemTexts.systemStatusPanel

const anchorDots: Record<string, string> = { current: dots.ok, delayed: dots.medium, stopped: dots.critical }

/** What the server measures of itself. */
export function SystemStatusPanel() {
  const { data, error, isFetching, refetch } = useQuery(adminQueries.system)
  return (
    <Panel
      title={texts.systemStatus}
      right={<span className="text-base text-2 phone:text-hint">{texts.measuredLive}</span>}
    >
      {data && <Rows system={data} />}
      {!data && !error && <Loading />}
      {error && (
        <div className={data && 'mt-4'}>
          <FetchFailure
            fallback={data ? texts.statusCouldNotBeRead : texts.failedToFetchTheSystem}
            error={error}
            isFetching={isFetching}
            onRetry={refetch}
          />
        </div>
      )}
    </Panel>
  )
}

function Rows({ system: { feed, stream, anchor, payments, startedAt } }: { system: AdminSystem }) {
  const look = feedLooks[feed.state]
  return (
    <dl className="-my-2 grid divide-y divide-line-1">
      <Row label={texts.analysisSystem} dot={look.dot}>
        {feed.state === 'connected' && feed.isQuiet ? texts.onlineQuiet : look.analysis}
      </Row>
      <Row label={texts.websocket} dot={dots.ok}>
        {texts.connectedClient({ connected: stream.connected })}
      </Row>
      <Row label={texts.externalFeed} dot={look.dot}>
        {look.feed}
        {feed.pingMs !== null && texts.pingMs({ pingMs: Math.round(feed.pingMs) })}
        {feed.state !== 'off' && <span className="block font-mono text-data wrap-anywhere">{feed.endpoint}</span>}
        {feed.lastError !== null && feed.state !== 'connected' && <span className="block">{feed.lastError}</span>}
      </Row>
      <Row label={texts.anchorChain} dot={anchorDots[anchor.state] ?? dots.neutral}>
        {anchor.state === 'current' ? '' : `${anchor.reason ?? anchor.state}, `}
        {anchor.lastAnchoredAt === null ? texts.noAnchorYet : <LastAnchor at={anchor.lastAnchoredAt} />}
      </Row>
      <Row label={texts.paymentWatcher} dot={payments.trouble === null ? dots.ok : dots.critical}>
        {payments.trouble ?? behindWords(payments)}
      </Row>
      <Row label={texts.uptime}>
        <Uptime startedAt={startedAt} />
      </Row>
      <Row label={texts.signalsReceived}>
        <span className="text-data text-1">{feed.signalsReceived.toLocaleString(numberLocale)}</span>
        {feed.lastSignalAt !== null &&
          texts.lastLastSignalAt({ lastSignalAt: <Time at={feed.lastSignalAt} mono={false} /> })}
      </Row>
      <Row label={texts.signalsRefused}>
        {feed.signalsRefused === 0 ? (
          <span className="text-data text-1">0</span>
        ) : (
          <a href={`#${refusedSignalsId}`} className="link touch-target font-medium">
            {texts.toLookAt({ signalsRefused: feed.signalsRefused })}
          </a>
        )}
      </Row>
    </dl>
  )
}

function LastAnchor({ at }: { at: string }) {
  return <>{texts.lastAnchor({ at: <Time at={at} mono={false} /> })}</>
}

function behindWords({ behindBlocks, behindSeconds }: AdminSystem['payments']): string {
  if (behindBlocks === null && behindSeconds === null) return texts.notMeasuredYet
  if (behindBlocks === 0) return texts.upToDate
  const blocks = behindBlocks === null ? '' : texts.blockBehindBlocks({ behindBlocks })
  const time = behindSeconds === null ? '' : durationWords(behindSeconds * 1000)
  return texts.behindBy({ distance: [blocks, time].filter(Boolean).join(', ') })
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
  const words = useNow((nowMs) => uptimeWords(startedAt, nowMs))
  return <span className="text-data text-1">{words}</span>
}

function Loading() {
  return (
    <div role="status" aria-label={texts.loadingTheSystemStatus} className="-my-2 divide-y divide-line-1">
      {[...Array(8).keys()].map((row) => (
        <div key={row} className="flex h-11 items-center justify-between">
          <Skeleton className="h-2 w-28" />
          <Skeleton className="h-2 w-20" />
        </div>
      ))}
    </div>
  )
}
