import { useQuery } from '@tanstack/react-query'
import type { EngineStatus, EngineView as View } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'
import { Badge } from '../../ui/badge.tsx'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { EngineAlerts } from './engine-alerts.tsx'
import { EngineMarkets, EngineSources } from './engine-markets.tsx'
import { formatLag, modeLabels, sumCounts } from './engine-texts.ts'
import { EngineThresholds } from './engine-thresholds.tsx'
import { FigureCell, FigureGrid, PanelWarning } from './figure-cell.tsx'

/** Shows the newest status that Tocsin's engine has sent. The engine also sends the signal feed. */
export function EngineView() {
  const query = useQuery(adminQueries.engine)
  const { data, error } = query
  if (data) return <EngineStatusView view={data} isOutdated={error !== null} />
  return (
    <Panel title="Engine" flush={!error}>
      {error ? (
        <AdminQueryError fallback="Failed to fetch the status of the engine" query={query} />
      ) : (
        <SkeletonRows label="Loading the status of the engine" rows={4} />
      )}
    </Panel>
  )
}

/**
 * @param isOutdated true if the newest request has failed, so that `view` is from an earlier one
 */
export function EngineStatusView({ view, isOutdated = false }: { view: View; isOutdated?: boolean }) {
  const { status, receivedAt, isSilent } = view
  if (status === null || receivedAt === null) {
    return (
      <Panel title="Engine" flush>
        <EmptyState title="No status received">
          Tocsin's engine sends its status when it connects and then every 10 s. Other feeds may send no status.
        </EmptyState>
      </Panel>
    )
  }
  return (
    <>
      <Panel
        title="Engine"
        actions={<Badge tone={isSilent ? 'critical' : 'ok'}>{isSilent ? 'Silent' : 'Running'}</Badge>}
        flush
      >
        {isSilent && (
          <PanelWarning>
            No status since <Time at={receivedAt} mono={false} /> <ZoneName />. The engine has stopped, or the feed is
            not connected. This page shows the last known state.
          </PanelWarning>
        )}
        {isOutdated && <PanelWarning>Failed to fetch the status. This page shows the last known state.</PanelWarning>}
        <Figures status={status} />
      </Panel>
      <div className="grid gap-4 xl:grid-cols-[13fr_7fr]">
        <EngineMarkets status={status} isSilent={isSilent} />
        <EngineSources status={status} isSilent={isSilent} />
      </div>
      <EngineAlerts status={status} />
      <EngineThresholds status={status} />
    </>
  )
}

function Figures({ status }: { status: EngineStatus }) {
  const { model, predictions, messages, markets, eventTime, sentAt, clockSetBackMs } = status
  const unfilledGapCount = sumCounts(markets.map(({ gapsLost }) => gapsLost))
  return (
    <FigureGrid>
      <FigureCell label="Source of trades" detail={<StartedTime at={status.startedAt} />}>
        {modeLabels[status.mode]}
      </FigureCell>
      <FigureCell
        label="Model"
        detail={
          <>
            Settings <Address value={model.settingsHash} copy className="text-1" />
          </>
        }
      >
        {model.name} {model.version}
      </FigureCell>
      <FigureCell
        label="Event time"
        detail={eventTime === null ? 'No trade yet' : `Status sent ${formatLeadTime(eventTime, sentAt)} the event time`}
      >
        {eventTime === null ? '—' : <Time at={eventTime} />}
      </FigureCell>
      <FigureCell
        label="System clock"
        detail={clockSetBackMs === 0 ? 'Since the start' : 'The engine ignores this until it restarts'}
      >
        {clockSetBackMs === 0 ? 'No backward jump' : `Set back by ${formatLag(clockSetBackMs)}`}
      </FigureCell>
      <FigureCell label="Open predictions" detail={`${formatCount(predictions.due)} ended, waiting for candles`}>
        {formatCount(predictions.open)}
      </FigureCell>
      <FigureCell label="Overdue outcomes" detail="Predictions without an outcome at the deadline">
        <WarnedCount count={predictions.overdue} />
      </FigureCell>
      <FigureCell
        label="Unfilled gaps"
        detail={`${formatCount(sumCounts(markets.map(({ gapsFilled }) => gapsFilled)))} filled`}
      >
        <WarnedCount count={unfilledGapCount} />
      </FigureCell>
      <FigureCell
        label="Messages waiting"
        detail={messages.leftOut === 0 ? 'None dropped' : `${formatCount(messages.leftOut)} dropped: queue full`}
      >
        {formatCount(messages.waiting)}
      </FigureCell>
    </FigureGrid>
  )
}

/** Shows a count that should be 0. Other counts are coloured as a warning. */
function WarnedCount({ count }: { count: number }) {
  return <span className={count === 0 ? undefined : 'text-medium'}>{formatCount(count)}</span>
}

function StartedTime({ at }: { at: string }) {
  return (
    <>
      Running since <Time at={at} mono={false} />
    </>
  )
}

function formatLeadTime(eventTime: string, sentAt: string): string {
  const ms = Date.parse(sentAt) - Date.parse(eventTime)
  return ms < 0 ? `${formatLag(-ms)} before` : `${formatLag(ms)} after`
}
