import { useQuery } from '@tanstack/react-query'
import { type BusinessCustomers, type FunnelStep, funnelSteps, getPlan, type LeavingAccount } from '@tocsin/protocol'
import { useState } from 'react'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { adminQueries } from './admin-queries.ts'
import { Allowed } from './allowed.tsx'
import { churnDefinitions, funnelDefinitions, retentionDefinitions } from './business-definitions.ts'
import { formatChurnSigns, formatRoundedIto, funnelLabels, percent, shortFunnelWords } from './business-texts.ts'
import { DefinedPanel } from './definitions.tsx'
import { FigureRow } from './figure-row.tsx'
import { QueryRows } from './query-rows.tsx'
import { formatUtcDay } from './revenue-chart.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { useChartOrTable, useChoice } from './use-choice.tsx'
import { getDisplayName } from './user-texts.ts'

const loading = { label: 'Loading customer figures', rows: 4 }
const failedMessage = 'Failed to fetch the customer figures'

export function FunnelPanel() {
  const query = useQuery(adminQueries.customers)
  const [weekIndex, setWeekIndex] = useState(0)
  const [view, setView] = useChartOrTable('Show the funnel as')
  const weeks = query.data?.weeks ?? []
  const week = weeks[weekIndex]
  return (
    <DefinedPanel
      title="Funnel"
      defined={{ of: 'the funnel', list: funnelDefinitions }}
      actions={
        <>
          {view === 'chart' && (
            <SelectField
              hideLabel
              label="Week of the funnel"
              size="sm"
              value={weekIndex}
              onChange={({ target }) => setWeekIndex(Number(target.value))}
            >
              {weeks.map(({ week: name }, index) => (
                <option key={name} value={index}>
                  {index === 0 ? 'This week' : `Week of ${formatUtcDay(name)}`}
                </option>
              ))}
            </SelectField>
          )}
          {setView}
        </>
      }
    >
      <QueryRows query={query} loading={loading} failed={failedMessage} empty={null}>
        {view === 'table' && weeks.length > 0 && <FunnelTable weeks={weeks} />}
        {view === 'chart' && week && (
          <ol className="divide-y divide-line-1">
            {funnelSteps.map((step) => (
              <FunnelRow key={step} label={funnelLabels[step]} count={week[step]} of={getConversionBase(week, step)} />
            ))}
          </ol>
        )}
      </QueryRows>
    </DefinedPanel>
  )
}

type Week = BusinessCustomers['weeks'][number]

/**
 * Returns the denominator of a step's conversion rate: the count of the previous step, or for
 * "Bought again" the number of accounts that paid in the week. Undefined for the first step.
 */
function getConversionBase(week: Week, step: FunnelStep): number | undefined {
  if (step === 'boughtAgain') return week.paying
  const previousStep = funnelSteps[funnelSteps.indexOf(step) - 1]
  return previousStep && week[previousStep]
}

/** Shows the steps of every week, each with its conversion rate. */
function FunnelTable({ weeks }: { weeks: Week[] }) {
  return (
    <Table wide caption="Funnel by week: count, and share of the step before">
      <thead>
        <tr>
          <Th>Week of</Th>
          {funnelSteps.map((step) => (
            <Th key={step} className="text-right">
              {shortFunnelWords[step]}
            </Th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <Tr key={week.week}>
            <Td mono>{formatUtcDay(week.week)}</Td>
            {funnelSteps.map((step) => {
              const baseCount = getConversionBase(week, step)
              return (
                <Td key={step} mono className="text-right">
                  {formatCount(week[step])}
                  {baseCount !== undefined && <span className="block text-2">{percent(week[step], baseCount)}</span>}
                </Td>
              )
            })}
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}

function FunnelRow({ label, count, of }: { label: string; count: number; of: number | undefined }) {
  const share = count === 0 || of === 0 ? 0 : Math.min(1, count / (of ?? count))
  return (
    <li className="grid h-11 grid-cols-[120px_minmax(0,1fr)_56px_52px] items-center gap-3 px-5 text-base phone:grid-cols-[104px_minmax(0,1fr)_44px_52px] phone:px-4">
      <span>{label}</span>
      <span aria-hidden className="h-3 bg-ink-3">
        <span className="block h-full bg-text-3" style={{ width: `${100 * share}%` }} />
      </span>
      <span className="text-right text-data font-medium">{formatCount(count)}</span>
      <span className="text-right text-data text-2">{of === undefined ? 'start' : percent(count, of)}</span>
    </li>
  )
}

export function RetentionPanel() {
  const query = useQuery(adminQueries.customers)
  const cohorts = query.data?.cohorts ?? []
  return (
    <DefinedPanel
      title="Retention"
      defined={{ of: 'retention', list: retentionDefinitions }}
      detail="paid again in that week"
    >
      <QueryRows query={query} loading={loading} failed={failedMessage} empty={null}>
        {cohorts.length > 0 && (
          <Table wide caption="Accounts by the week of their first payment, and the share that paid again">
            <thead>
              <tr>
                <Th>Week of</Th>
                <Th className="text-right">Accounts</Th>
                {cohorts.slice(1).map(({ week }, index) => (
                  <Th key={week} className="text-center">
                    Wk {index + 1}
                  </Th>
                ))}
              </tr>
            </thead>
            <tbody>
              {cohorts.map((cohort) => (
                <CohortRow key={cohort.week} cohort={cohort} columns={cohorts.length - 1} />
              ))}
            </tbody>
          </Table>
        )}
      </QueryRows>
    </DefinedPanel>
  )
}

type CohortRowProps = { cohort: BusinessCustomers['cohorts'][number]; columns: number }

function CohortRow({ cohort: { week, size, paidAgain }, columns }: CohortRowProps) {
  return (
    <Tr compact>
      <Td mono>{formatUtcDay(week)}</Td>
      <Td mono className="text-right">
        {formatCount(size)}
      </Td>
      {Array.from({ length: columns }, (_, index) => {
        const share = paidAgain[index]
        const strength = share == null ? 0 : Math.round(share * 45)
        return (
          <Td
            // biome-ignore lint/suspicious/noArrayIndexKey: the column is the week's number
            key={index}
            mono
            className="text-center"
            style={{ background: `color-mix(in oklab, var(--color-text-1) ${strength}%, transparent)` }}
          >
            {index >= paidAgain.length ? '' : share == null ? '—' : `${Math.round(100 * share)}%`}
          </Td>
        )
      })}
    </Tr>
  )
}

export function ChurnPanel() {
  const query = useQuery(adminQueries.customers)
  const [view, setView] = useChoice('Which accounts', { ending: 'Ends in 24 h', left: 'Left, 7 d' })
  const { data } = query
  return (
    <DefinedPanel
      title="Churn risk"
      defined={{ of: 'churn', list: churnDefinitions }}
      actions={setView}
      footer={
        data && (
          <FigureRow
            figures={[
              { label: 'Churn, 30 d', value: percent(data.churn.lost, data.churn.hadPlan) },
              { label: 'Per payer, 30 d', ...computeAveragePerPayer(data) },
              { label: 'Renewals, 7 d', value: formatCount(data.renewals7) },
            ]}
          />
        )
      }
    >
      <QueryRows query={query} loading={loading} failed={failedMessage} empty={null}>
        {data && (
          <>
            <LeavingSummary view={view} data={data} />
            {data[view].accounts.length > 0 && (
              <ul
                aria-label={
                  view === 'ending' ? 'Plans that end within 24 hours' : 'Accounts whose last plan ended within 7 days'
                }
                className="max-h-40 divide-y divide-line-1 overflow-y-auto border-t border-line-1"
              >
                {data[view].accounts.map((account) => (
                  <LeavingRow key={account.id} account={account} />
                ))}
              </ul>
            )}
          </>
        )}
      </QueryRows>
    </DefinedPanel>
  )
}

const computeAveragePerPayer = ({ paying30: { sumWei, accounts } }: BusinessCustomers) =>
  accounts === 0 ? { value: '—' } : { value: formatRoundedIto(BigInt(sumWei) / BigInt(accounts)), unit: 'ITO' }

function LeavingSummary({ view, data }: { view: 'ending' | 'left'; data: BusinessCustomers }) {
  const { go } = useAdminSearchParams()
  const { count } = data[view]
  if (count === 0) {
    return view === 'ending' ? (
      <EmptyState isCompact title="No plan ends within 24 hours">
        Accounts whose access ends soon appear here, soonest first, with their churn signals.
      </EmptyState>
    ) : (
      <EmptyState isCompact title="No account has left within 7 days">
        Accounts whose last plan has ended appear here.
      </EmptyState>
    )
  }
  const atRisk = formatCount(data.ending.atRisk)
  return (
    <p className="flex flex-wrap items-center justify-between gap-x-4 px-5 py-3 text-base phone:px-4">
      <span>
        {view === 'ending' ? (
          <>
            {formatCountOf(count, 'plan ends', 'plans end')},{' '}
            <span className="font-medium">{atRisk} with churn signals</span>
          </>
        ) : (
          `${formatCountOf(count, 'account has', 'accounts have')} left`
        )}
      </span>
      <Allowed to="users.read">
        <button
          type="button"
          className="link touch-target"
          onClick={() => go.open({ tab: 'users', filter: view, sort: view === 'ending' ? 'expires' : 'seen' })}
        >
          All {formatCount(count)}
        </button>
      </Allowed>
    </p>
  )
}

function LeavingRow({ account }: { account: LeavingAccount }) {
  const { id, planType, endsAt } = account
  const { go } = useAdminSearchParams()
  return (
    <li className="flex min-h-12 items-center gap-4 px-5 py-2 text-base phone:px-4">
      <span className="min-w-0 flex-1">
        <button type="button" className="link touch-target truncate" onClick={() => go.show(id)}>
          {getDisplayName(account)}
        </button>
        <span className="block text-hint text-2">{formatChurnSigns(account)}</span>
      </span>
      <span className="shrink-0 text-right">
        <span className="block text-hint text-2">
          {Date.parse(endsAt) > Date.now() ? 'ends' : 'ended'}{' '}
          <Time at={endsAt} className="text-data font-medium text-1" />
        </span>
        <span className="block text-hint text-2">plan of {getPlan(planType).name}</span>
      </span>
    </li>
  )
}
