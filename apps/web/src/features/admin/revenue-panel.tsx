import { useQuery } from '@tanstack/react-query'
import { type BusinessRevenue, getChain, planIds, plans } from '@tocsin/protocol'
import { formatCountOf } from '../../ui/count.ts'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { adminQueries } from './admin-queries.ts'
import { Allowed } from './allowed.tsx'
import { revenueDefinitions } from './business-definitions.ts'
import {
  type BarPart,
  createRevenueBars,
  formatChangeAgainst,
  formatInCurrency,
  formatRoundedIto,
  percent,
} from './business-texts.ts'
import { DefinedPanel } from './definitions.tsx'
import { QueryRows } from './query-rows.tsx'
import { RateButton } from './rate-dialog.tsx'
import { formatUtcDay, LegendMark, RevenueChart } from './revenue-chart.tsx'
import { useChartOrTable, useChoice } from './use-choice.tsx'

export function RevenuePanel() {
  const query = useQuery(adminQueries.revenue)
  const { data } = query
  const [grouping, setGrouping] = useChoice('Group revenue', { plan: 'By plan', chain: 'By chain' })
  const [view, setView] = useChartOrTable('Show revenue as')
  return (
    <DefinedPanel
      title="Revenue"
      defined={{ of: 'revenue', list: revenueDefinitions }}
      className="lg:col-span-2"
      actions={
        <>
          {setGrouping}
          {setView}
        </>
      }
      footer={data && <AllTime data={data} />}
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading revenue', rows: 4 }}
        failed="Failed to fetch the revenue"
        empty={null}
      >
        {data && <Revenue data={data} by={grouping} look={view} />}
      </QueryRows>
    </DefinedPanel>
  )
}

function Revenue({ data, by, look }: { data: BusinessRevenue; by: 'plan' | 'chain'; look: 'chart' | 'table' }) {
  const keys = by === 'plan' ? planIds : listChains(data)
  const bars = createRevenueBars(data.days, by, keys)
  const formatGroupName = (key: string) =>
    by === 'plan' ? (plans.find(({ id }) => id === key)?.name ?? key) : getChain(Number(key)).name
  const totals = keys.map((key, index) => ({
    key,
    wei: bars.reduce((sum, { parts }) => sum + (parts[index]?.wei ?? 0n), 0n),
  }))
  const sum = totals.reduce((all, { wei }) => all + wei, 0n)
  return (
    <>
      <dl className="grid grid-cols-4 gap-px border-b border-line-1 bg-line-1 max-lg:grid-cols-2 [&>*]:bg-ink-1">
        <Figure label="Yesterday" sum={data.yesterday} rate={data.rate} />
        <Figure label="Today, so far" sum={data.today} rate={data.rate} />
        <Figure label="7 days" sum={data.last7} before={data.before7} rate={data.rate} />
        <Figure label="30 days" sum={data.last30} before={data.before30} rate={data.rate} />
      </dl>
      <div className="p-5 phone:p-4">
        {look === 'chart' ? (
          <RevenueChart
            label={`Revenue of the last 30 days by ${by}: ${totals.map(({ key, wei }) => `${formatGroupName(key)} ${formatRoundedIto(wei)} ITO`).join(', ')}`}
            bars={bars}
          />
        ) : (
          <RevenueTable bars={bars} names={keys.map(formatGroupName)} />
        )}
        <div className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-2 text-hint text-2">
          {totals.map(({ key, wei }, layer) => (
            <span key={key} className="inline-flex items-center gap-2">
              <LegendMark layer={layer} />
              {by === 'plan' ? `Plan of ${formatGroupName(key)}` : formatGroupName(key)}
              <span className="text-data text-1">{percent(Number(wei), Number(sum))}</span>
            </span>
          ))}
          {look === 'chart' && <span>Dashed: today, incomplete</span>}
        </div>
      </div>
    </>
  )
}

function AllTime({ data: { allTime, since, rate } }: { data: BusinessRevenue }) {
  return (
    <>
      <span className="mr-auto text-hint">
        All time <span className="text-data text-1">{formatRoundedIto(allTime.sumWei)}</span> ITO
        {since !== null && ` since ${formatUtcDay(since.slice(0, 10), { withYear: true })}`}
      </span>
      <Allowed to="payments.manage">
        <RateButton rate={rate} />
      </Allowed>
    </>
  )
}

function listChains({ days }: BusinessRevenue): string[] {
  return [...new Set(days.flatMap(({ parts }) => parts.map(({ chainId }) => String(chainId))))].sort()
}

interface FigureProps {
  label: string
  sum: BusinessRevenue['today']
  before?: BusinessRevenue['today']
  rate: BusinessRevenue['rate']
}

function Figure({ label, sum, before, rate }: FigureProps) {
  const change = before && formatChangeAgainst(sum.sumWei, before.sumWei)
  const payments = formatCountOf(sum.count, 'payment')
  const details = [
    ...(rate ? [formatInCurrency(sum.sumWei, rate)] : []),
    payments,
    ...(change ? [`${change} vs. the previous period`] : []),
  ]
  return (
    <div className="min-w-0 px-5 py-4 phone:px-4 phone:py-3">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-1 flex flex-wrap items-baseline gap-x-1.5">
        <span className="text-number">{formatRoundedIto(sum.sumWei)}</span>
        <span className="text-base text-2">ITO</span>
      </dd>
      <dd className="text-hint text-2">{details.join(', ')}</dd>
    </div>
  )
}

function RevenueTable({ bars, names }: { bars: { day: string; parts: BarPart[] }[]; names: string[] }) {
  return (
    <ScrollArea label="Revenue by day" className="max-h-60">
      <Table wide caption="Revenue by day in ITO">
        <thead>
          <tr>
            <Th>Day (UTC)</Th>
            {names.map((name) => (
              <Th key={name} className="text-right">
                {name}
              </Th>
            ))}
            <Th className="text-right">Total</Th>
          </tr>
        </thead>
        <tbody>
          {[...bars].reverse().map(({ day, parts }) => (
            <Tr key={day} compact>
              <Td>{formatUtcDay(day)}</Td>
              {parts.map(({ key, wei }) => (
                <Td key={key} mono className="text-right">
                  {formatRoundedIto(wei)}
                </Td>
              ))}
              <Td mono className="text-right font-medium">
                {formatRoundedIto(parts.reduce((sum, { wei }) => sum + wei, 0n))}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </ScrollArea>
  )
}
