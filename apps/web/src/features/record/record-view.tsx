import type { PublicConfig } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { getVenueName } from '../prediction/prediction-names.ts'
import { CalibrationPanel } from './calibration-panel.tsx'
import { FigureLink } from './figure-link.tsx'
import { Headline, OtherFigures } from './headline.tsx'
import { DemoBand, LimitsPanel, RecomputePanel } from './record-panels.tsx'
import { BreakdownPanel, MonthPanel } from './record-tables.tsx'
import { createAlertsCsvHref, type PublicRecord } from './record-texts.ts'
import { ReliabilityPanel } from './reliability-panel.tsx'

type RecordContentProps = {
  config: PublicConfig | undefined
  record: PublicRecord | null | undefined
  /** Origin of this site, for the command that recomputes the record. */
  host: string
  /** Button and result of the recomputation in this browser. */
  recomputation?: { button: ReactNode; result: ReactNode }
  /** The figures. Until they are loaded, a placeholder or an error message. */
  children: ReactNode
}

/** Everything below the page's title. Also rendered by the server (entry/record-html.tsx). */
export function RecordContent({ config, record, host, recomputation, children }: RecordContentProps) {
  return (
    <>
      <DemoBand config={config} />
      <div className="mt-8 grid gap-4">
        {children}
        <div className="grid gap-4 lg:grid-cols-2">
          <RecomputePanel config={config} host={host} right={recomputation?.button}>
            {recomputation?.result}
          </RecomputePanel>
          <LimitsPanel delayHours={record?.publicDelayHours} />
        </div>
      </div>
    </>
  )
}

type RecordViewProps = {
  record: PublicRecord | null
  /** True for pages without JavaScript: renders no controls, and all tables together. */
  isStatic?: boolean
  children?: ReactNode
}

/** The figures of a record, or its empty state. */
export function RecordView({ record, isStatic = false, children }: RecordViewProps) {
  if (record === null) return <NoRecord />
  return (
    <>
      <AsOf record={record} />
      {record.overall.strict.n === 0 ? (
        <NoOutcomes record={record} />
      ) : (
        <>
          <Headline record={record} />
          <div className="grid gap-4 lg:grid-cols-2">
            <ReliabilityPanel calibration={record.calibration} isStatic={isStatic} />
            <div className="grid content-start gap-4">
              <CalibrationPanel calibration={record.calibration} />
              <MonthPanel record={record} />
            </div>
          </div>
          <BreakdownPanel record={record} isStatic={isStatic} />
          <OtherFigures record={record} />
        </>
      )}
      {children}
    </>
  )
}

/** The inputs of the record. Equal inputs give equal figures. */
function AsOf({ record }: { record: PublicRecord }) {
  const { asOf, firstEntryAt, origin, publicDelayHours, overall } = record
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
        <span>No public archive of candles is known for {overall.unknownVenues.map(getVenueName).join(', ')}.</span>
      )}
      <span className="ml-auto inline-flex gap-4 font-medium">
        <a href={createAlertsCsvHref(origin, {})} download className="link touch-target">
          CSV
        </a>
        <a href={`/api/track-record?origin=${origin}`} className="link touch-target">
          JSON
        </a>
      </span>
    </p>
  )
}

function NoRecord() {
  return (
    <Panel flush>
      <EmptyState title="No record yet">
        The record is computed each time the log is anchored. It appears after the first anchor.
      </EmptyState>
    </Panel>
  )
}

function NoOutcomes({ record: { overall } }: { record: PublicRecord }) {
  const { open, pending } = overall.statuses
  return (
    <Panel flush>
      <EmptyState title="No outcomes yet">
        <FigureLink selection={{ status: 'open' }}>{formatCount(open)}</FigureLink> open,{' '}
        <FigureLink selection={{ status: 'pending' }}>{formatCount(pending)}</FigureLink> not public yet. Figures appear
        with the first verdict that is public.
      </EmptyState>
    </Panel>
  )
}
