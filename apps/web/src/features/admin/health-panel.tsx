import { useQuery } from '@tanstack/react-query'
import type { BusinessHealth } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { Badge } from '../../ui/badge.tsx'
import { formatCount } from '../../ui/count.ts'
import { formatHourMinute } from '../../ui/format-time.ts'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { adminQueries } from './admin-queries.ts'
import { healthDefinitions } from './business-definitions.ts'
import { DefinedPanel } from './definitions.tsx'
import { FigureRow } from './figure-row.tsx'
import { bandLabels, computeGapLengths, describeGaps, formatTimeSpan, groupCounts } from './health-texts.ts'
import { drawnPriorities, getTotal, noCounts } from './priority-bars.tsx'
import { QueryRows } from './query-rows.tsx'
import { useChartOrTable } from './use-choice.tsx'

const STEP_COUNT = 48
const allSteps = Array.from({ length: STEP_COUNT }, (_, step) => step)
const BAND_HEIGHT = 12
const ALERT_HEIGHT = 48

export function HealthPanel() {
  const query = useQuery(adminQueries.health)
  const { data } = query
  const [view, setView] = useChartOrTable('Show feed and engine as')
  return (
    <DefinedPanel
      title="Feed and engine"
      className="lg:max-xl:col-span-2"
      defined={{ of: 'the health of feed and engine', list: healthDefinitions }}
      detail="24 h"
      actions={setView}
      footer={data && <Totals data={data} />}
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading the state of feed and engine', rows: 4 }}
        failed="Failed to fetch the state of feed and engine"
        empty={null}
      >
        {data && (view === 'chart' ? <Bands data={data} /> : <GapTable data={data} />)}
        {data && <GapSummary data={data} />}
      </QueryRows>
    </DefinedPanel>
  )
}

function Bands({ data }: { data: BusinessHealth }) {
  const { asOf, bands, from } = data
  const style = useTimeStyle()
  return (
    <div className="grid grid-cols-[64px_minmax(0,1fr)] items-center gap-x-3 gap-y-2.5 px-5 py-4 phone:px-4">
      <AlertSteps data={data} />
      {bands.map((band) => (
        <Band key={band.source} band={band} asOf={asOf} />
      ))}
      <span />
      <span aria-hidden className="flex justify-between text-data text-2">
        {[0, 1, 2, 3].map((part) => (
          <span key={part}>{formatHourMinute(Date.parse(from) + (part * DAY_MS) / 4, style)}</span>
        ))}
        <span>now</span>
      </span>
    </div>
  )
}

/**
 * Number of alerts in each half hour. The colour of a bar is the highest priority in the half hour.
 */
function AlertSteps({ data: { steps } }: { data: BusinessHealth }) {
  const byStep = new Map(groupCounts(steps, ({ step }) => String(step)).map(({ name, counts }) => [name, counts]))
  const stepCounts = [...byStep.values()]
  const max = Math.max(1, ...stepCounts.map(getTotal))
  const sum = stepCounts.reduce((total, counts) => total + getTotal(counts), 0)
  const peak = sum === 0 ? '' : `, at most ${formatCount(max)} in half an hour`
  return (
    <>
      <span className="self-end text-base">Alerts</span>
      <svg
        role="img"
        aria-label={`Alerts of the last 24 hours: ${formatCount(sum)}${peak}`}
        viewBox={`0 0 ${STEP_COUNT} ${ALERT_HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-12 w-full border-b border-line-1"
      >
        {allSteps.map((step) => {
          const counts = byStep.get(String(step)) ?? noCounts
          const total = getTotal(counts)
          const topPriority = drawnPriorities.find((priority) => counts[priority] > 0)
          const height = Math.max(3, (total / max) * ALERT_HEIGHT)
          return (
            topPriority && (
              <rect
                key={step}
                x={step}
                y={ALERT_HEIGHT - height}
                width={0.72}
                height={height}
                className={stepStyles[topPriority]}
              />
            )
          )
        })}
      </svg>
    </>
  )
}

const stepStyles = { critical: 'fill-critical', high: 'fill-high', medium: 'fill-text-3', low: 'fill-text-3' } as const

function Band({ band, asOf }: { band: BusinessHealth['bands'][number]; asOf: string }) {
  const { source, state, gaps } = band
  const endMs = Date.parse(asOf)
  const computePercent = (at: string) => Math.max(0, Math.min(100, 100 - ((endMs - Date.parse(at)) / DAY_MS) * 100))
  return (
    <>
      <span className="text-base">{bandLabels[source]}</span>
      <svg
        role="img"
        aria-label={`${bandLabels[source]}, last 24 hours: ${describeGaps(band, asOf)}`}
        width="100%"
        height={BAND_HEIGHT}
        className="block"
      >
        <rect
          width="100%"
          height={BAND_HEIGHT}
          className={state === null ? 'fill-none stroke-line-2' : 'fill-ok/45 forced-colors:fill-[GrayText]'}
          strokeDasharray={state === null ? '2 3' : undefined}
        />
        {gaps.map(({ from, to }) => {
          const [start, end] = [computePercent(from), computePercent(to ?? asOf)]
          return (
            <rect
              key={from}
              x={`${Math.min(start, 99.4)}%`}
              // With the minimum width, an outage of a few seconds is visible.
              width={`${Math.max(0.6, end - start)}%`}
              height={BAND_HEIGHT}
              className={`${to === null ? 'fill-critical' : 'fill-medium'} forced-colors:fill-[Highlight]`}
            />
          )
        })}
      </svg>
    </>
  )
}

function GapTable({ data: { bands, asOf } }: { data: BusinessHealth }) {
  const rows = bands.flatMap((band) => {
    const lengths = computeGapLengths(band, asOf)
    return band.gaps.map((gap, index) => ({ ...gap, source: band.source, ms: lengths[index] ?? 0 }))
  })
  if (rows.length === 0) {
    return <p className="px-5 py-4 text-base text-2 phone:px-4">{describeBands(bands, asOf)}</p>
  }
  return (
    <ScrollArea label="Gaps by source" className="max-h-52">
      <Table wide caption="Gaps of the last 24 hours">
        <thead>
          <tr>
            <Th>Source</Th>
            <Th>From</Th>
            <Th>To</Th>
            <Th className="text-right">Length</Th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ source, from, to, ms }) => (
            <Tr key={`${source} ${from}`} compact>
              <Td>{bandLabels[source]}</Td>
              <Td mono>
                <Time at={from} />
              </Td>
              <Td mono>{to === null ? 'still open' : <Time at={to} />}</Td>
              <Td mono className="text-right">
                {formatTimeSpan(ms)}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </ScrollArea>
  )
}

/**
 * Shows whether all sources are healthy. Describes each source that is not measured, or that has
 * had an outage in the last 24 hours.
 */
function GapSummary({ data: { bands, asOf } }: { data: BusinessHealth }) {
  const openGapBands = bands.filter(({ state }) => state === 'gap')
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-5 pb-3 text-hint text-2 phone:px-4">
      {openGapBands.length > 0 ? (
        <Badge tone="critical">{openGapBands.map(({ source }) => bandLabels[source]).join(', ')}</Badge>
      ) : bands.every(({ state }) => state === 'ok') ? (
        <Badge tone="ok">Healthy</Badge>
      ) : (
        <Badge tone="neutral">Not measured</Badge>
      )}
      {describeBands(bands, asOf)}
    </p>
  )
}

/** Describes each source that has had an outage or is not measured. */
function describeBands(bands: BusinessHealth['bands'], asOf: string): string {
  const describedBands = bands.filter(({ state, gaps }) => state !== 'ok' || gaps.length > 0)
  if (describedBands.length === 0) return 'No gap in the last 24 hours.'
  return describedBands.map((band) => `${bandLabels[band.source]}: ${describeGaps(band, asOf)}`).join('. ')
}

function Totals({ data: { steps, medianToAnchorMs } }: { data: BusinessHealth }) {
  const alerts = steps.reduce((sum, { count }) => sum + count, 0)
  return (
    <FigureRow
      figures={[
        { label: 'Alerts, 24 h', value: formatCount(alerts) },
        {
          label: 'To anchor, median',
          value: medianToAnchorMs === null ? '—' : `${(medianToAnchorMs / 1_000).toFixed(1)} s`,
        },
      ]}
    />
  )
}
