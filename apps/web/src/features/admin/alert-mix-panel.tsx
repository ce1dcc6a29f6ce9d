import { useQuery } from '@tanstack/react-query'
import type { BusinessHealth } from '@tocsin/protocol'
import { formatCount } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { padTwoDigits } from '../../ui/format-time.ts'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { adminQueries } from './admin-queries.ts'
import { alertDefinitions } from './business-definitions.ts'
import { DefinedPanel } from './definitions.tsx'
import { groupCounts } from './health-texts.ts'
import {
  drawnPriorities,
  getTotal,
  noCounts,
  PriorityBars,
  type PriorityCounts,
  PriorityLegend,
  PriorityTable,
} from './priority-bars.tsx'
import { QueryRows } from './query-rows.tsx'
import { useChartOrTable, useChoice } from './use-choice.tsx'

const hours = Array.from({ length: 24 }, (_, hour) => formatHour(hour))

function formatHour(hour: number): string {
  return `${padTwoDigits(hour)}:00`
}

/** Number of alerts of the last seven days, by hour of the day or by type. */
export function AlertMixPanel() {
  const query = useQuery(adminQueries.health)
  const [grouping, setGrouping] = useChoice('Group alerts', { hour: 'By hour', type: 'By type' })
  const [view, setView] = useChartOrTable('Show alerts as')
  const data = query.data
  return (
    <DefinedPanel
      title="Alerts"
      defined={{ of: 'the number of alerts', list: alertDefinitions }}
      detail={grouping === 'hour' ? '7 days, by hour of the day (UTC)' : '7 days, by type'}
      className="lg:col-span-2 xl:col-span-3"
      actions={
        <>
          {setGrouping}
          {setView}
        </>
      }
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading alerts by hour and type', rows: 4 }}
        failed="Failed to fetch alerts by hour and type"
        empty={
          <EmptyState isCompact title="No alert in the last 7 days">
            Alerts by hour, type and priority appear here.
          </EmptyState>
        }
      >
        {data && data.hours.length > 0 && (
          <div className="p-5 phone:p-4">
            <AlertMix data={data} by={grouping} look={view} />
          </div>
        )}
      </QueryRows>
    </DefinedPanel>
  )
}

function AlertMix({ data, by, look }: { data: BusinessHealth; by: 'hour' | 'type'; look: 'chart' | 'table' }) {
  const byHour = groupCounts(data.hours, ({ hour }) => formatHour(hour), hours)
  const byType = groupCounts(data.types, ({ type }) => type || 'Without a type')
  const rows = by === 'hour' ? byHour : byType
  const totalCounts = byHour.reduce(
    (sum, { counts }) => {
      for (const priority of drawnPriorities) sum[priority] += counts[priority]
      return sum
    },
    { ...noCounts },
  )
  const [largestRow] = [...rows].sort((a, b) => getTotal(b.counts) - getTotal(a.counts))
  const total = formatCount(getTotal(totalCounts))
  const label = `${total} alerts of the last 7 days by ${by}${largestRow ? `, most: ${largestRow.name} with ${formatCount(getTotal(largestRow.counts))}` : ''}`
  return (
    <>
      {look === 'table' ? (
        <ScrollArea label={`Alerts by ${by}`} className="-mx-5 max-h-60 phone:-mx-4">
          <PriorityTable
            caption={`Alerts of the last 7 days by ${by} and priority`}
            head={by === 'hour' ? 'Hour (UTC)' : 'Type'}
            rows={rows}
          />
        </ScrollArea>
      ) : by === 'hour' ? (
        <PriorityBars label={label} rows={rows} isNamed={(at) => at % 4 === 0} />
      ) : (
        <TypeBars label={label} rows={byType} />
      )}
      <div className="mt-3">
        <PriorityLegend counts={totalCounts} />
      </div>
    </>
  )
}

const segmentClasses = { critical: 'bg-critical', high: 'bg-high', medium: 'bg-medium', low: 'bg-low' } as const

/** Horizontal bars, one for each type. The names are too long for the axis of a vertical chart. */
function TypeBars({ label, rows }: { label: string; rows: readonly { name: string; counts: PriorityCounts }[] }) {
  const max = Math.max(1, ...rows.map(({ counts }) => getTotal(counts)))
  return (
    <ul
      aria-label={label}
      className="grid grid-cols-[minmax(0,auto)_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 text-base"
    >
      {rows.map(({ name, counts }) => (
        <li key={name} className="col-span-3 grid min-h-6 grid-cols-subgrid items-center">
          <span className="max-w-60 wrap-anywhere phone:max-w-32">{name}</span>
          <span aria-hidden className="flex h-3 gap-px">
            {drawnPriorities.map(
              (priority) =>
                counts[priority] > 0 && (
                  <span
                    key={priority}
                    className={segmentClasses[priority]}
                    style={{ width: `${(100 * counts[priority]) / max}%` }}
                  />
                ),
            )}
          </span>
          <span className="text-right text-data font-medium">{formatCount(getTotal(counts))}</span>
        </li>
      ))}
    </ul>
  )
}
