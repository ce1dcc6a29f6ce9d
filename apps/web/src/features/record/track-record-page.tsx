import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { z } from 'zod'
import { queries } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { venueName } from '../prediction/prediction-words.ts'
import { type RecordOrigin, type RecordSelection, recordQueries } from '../prediction/record-queries.ts'
import { SitePage } from '../site/site-page.tsx'
import { CalibrationPanel } from './calibration-panel.tsx'
import { Headline, OtherFigures } from './headline.tsx'
import { BreakdownPanel, MonthPanel } from './record-tables.tsx'
import { LimitsPanel, RecomputePanel, SimulatedBand } from './record-texts.tsx'
import { type PublicRecord, rowsOf } from './record-words.ts'
import { ReliabilityPanel } from './reliability-panel.tsx'

const RecordAlerts = lazyLoad(async () => (await import('./record-alerts.tsx')).RecordAlerts)

/** The public record of all predictions, with the alerts behind each figure. */
export function TrackRecordPage() {
  const { data: config, isError: isConfigMissing, refetch: readConfig } = useQuery(queries.config)
  const origin = config?.demo ? 'demo' : 'feed'
  const { data, isLoadingError, refetch } = useQuery({ ...recordQueries.record(origin), enabled: config !== undefined })
  const selection = useSelection()
  const record = data?.record
  return (
    <SitePage
      kind="In public"
      title="Track record"
      lead="Every prediction was signed before its time and is judged by the exchange’s own one-minute candles. Misses, voids and overdue verdicts count."
    >
      {config?.demo && <SimulatedBand />}
      <div className="mt-8 grid gap-4">
        {isConfigMissing || isLoadingError ? (
          <Failure onRetry={() => void (config ? refetch() : readConfig())} />
        ) : data === undefined ? (
          <Loading />
        ) : record ? (
          <RecordView record={record} origin={origin} selection={selection} />
        ) : (
          <NoRecord />
        )}
        <div className="grid gap-4 lg:grid-cols-2">
          <RecomputePanel config={config} />
          <LimitsPanel delayHours={record?.publicDelayHours} />
        </div>
      </div>
    </SitePage>
  )
}

type RecordViewProps = { record: PublicRecord; origin: RecordOrigin; selection: RecordSelection | null }

/** The figures of a record, or its empty state. */
export function RecordView({ record, origin, selection }: RecordViewProps) {
  return (
    <>
      <AsOf record={record} origin={origin} />
      {record.overall.strict.n === 0 ? (
        <NoOutcomes record={record} />
      ) : (
        <>
          <Headline record={record} />
          <div className="grid gap-4 lg:grid-cols-2">
            <ReliabilityPanel calibration={record.calibration} />
            <div className="grid content-start gap-4">
              <CalibrationPanel calibration={record.calibration} />
              <MonthPanel record={record} />
            </div>
          </div>
          <BreakdownPanel record={record} />
          <OtherFigures record={record} />
        </>
      )}
      {selection && (
        <Suspense>
          <RecordAlerts origin={origin} selection={selection} title={titleOf(record, selection)} />
        </Suspense>
      )}
    </>
  )
}

/** What the record is computed from. Equal inputs give equal figures. */
function AsOf({ record, origin }: { record: PublicRecord; origin: RecordOrigin }) {
  const { asOf, firstEntryAt, publicDelayHours, overall } = record
  return (
    <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-base text-2">
      <span>
        As of block <span className="text-data text-1">{formatCount(asOf.blockNumber)}</span>,{' '}
        <Time at={asOf.at} show="date" className="text-1" /> <ZoneName />,{' '}
        <span className="text-data text-1">{formatCount(asOf.size)}</span> entries
        {firstEntryAt !== null && (
          <>
            {' '}
            since <Time at={firstEntryAt} show="date" className="text-1" />
          </>
        )}
        ; public delay <span className="text-data text-1">{publicDelayHours} h</span>.
      </span>
      {overall.unknownVenues.length > 0 && (
        <span>No public archive known for {overall.unknownVenues.map(venueName).join(', ')}.</span>
      )}
      <a href={`/api/track-record?origin=${origin}`} className="link touch-target ml-auto font-medium">
        JSON
      </a>
    </p>
  )
}

function NoRecord() {
  return (
    <Panel flush>
      <EmptyState title="No record yet">The record is stated as of an anchor. It begins with the first one.</EmptyState>
    </Panel>
  )
}

function NoOutcomes({ record: { overall } }: { record: PublicRecord }) {
  const { open, pending } = overall.statuses
  return (
    <Panel flush>
      <EmptyState title="No outcomes yet">
        {`${formatCount(open)} open, ${formatCount(pending)} not public yet. Figures appear with the first verdict that is public.`}
      </EmptyState>
    </Panel>
  )
}

function Failure({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-4 border border-line-1 bg-ink-1 p-6 phone:p-4">
      <p className="text-body">The record can’t be read right now. What is anchored stays on the chain.</p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  )
}

/** Also what readers without JavaScript see, so it says where the figures are. */
function Loading() {
  return (
    <Panel flush>
      <div className="grid min-h-66 place-content-center gap-3 p-6 text-center">
        <Skeleton className="mx-auto h-12 w-44" />
        <p className="text-base text-2">
          The figures are computed from the log as of its newest anchor. As data:{' '}
          <a href="/api/track-record" className="link">
            /api/track-record
          </a>
        </p>
      </div>
    </Panel>
  )
}

const text = z
  .union([z.string(), z.number().transform(String), z.boolean().transform(String)])
  .optional()
  .catch(undefined)
const selectionSearch = z.object({ status: text, by: text, key: text })

/** The figure whose alerts are listed. Null without one. */
function useSelection(): RecordSelection | null {
  const { status, by, key } = selectionSearch.parse(useSearch({ strict: false }))
  const selection = { ...(status ? { status } : {}), ...(by && key !== undefined ? { by, key } : {}) }
  return Object.keys(selection).length > 0 ? selection : null
}

const tableNames = ['type', 'asset', 'priority', 'regime', 'model', 'month'] as const

function titleOf(record: PublicRecord, { status, by, key }: RecordSelection): string {
  const table = tableNames.find((name) => name === by)
  const row = table && rowsOf(record, table).find((each) => each.key === key)
  return [row?.label ?? key, status].filter(Boolean).join(', ')
}
