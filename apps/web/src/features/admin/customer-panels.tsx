import { useQuery } from '@tanstack/react-query'
import { type BusinessCustomers, funnelSteps, getPlan } from '@tocsin/protocol'
import { useState } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { adminQueries } from './admin-queries.ts'
import { funnelWords, percent, roundedIto } from './business-words.ts'
import { FetchedRows } from './fetched-rows.tsx'
import { dayWords } from './revenue-chart.tsx'
import { useAdminPlace } from './use-admin-place.ts'

const loading = { label: 'Loading figures of customers', rows: 4 }
const failed = 'Failed to fetch the figures of customers'

export function FunnelPanel() {
  const query = useQuery(adminQueries.customers)
  const [at, setAt] = useState(0)
  const weeks = query.data?.weeks ?? []
  const week = weeks[at]
  return (
    <Panel
      title="Funnel"
      flush
      right={
        <SelectField
          hideLabel
          label="Week of the funnel"
          size="sm"
          value={at}
          onChange={({ target }) => setAt(Number(target.value))}
        >
          {weeks.map(({ week: name }, index) => (
            <option key={name} value={index}>
              {index === 0 ? 'This week' : `Week of ${dayWords(name)}`}
            </option>
          ))}
        </SelectField>
      }
      footer="Bar and percentage: share of the step before. Each step counts what happened in that week (UTC)."
    >
      <FetchedRows query={query} loading={loading} failed={failed} empty={null}>
        {week && (
          <ol className="divide-y divide-line-1">
            {funnelSteps.map((step, index) => {
              const before = funnelSteps[index - 1]
              return (
                <FunnelRow key={step} label={funnelWords[step]} count={week[step]} before={before && week[before]} />
              )
            })}
          </ol>
        )}
      </FetchedRows>
    </Panel>
  )
}

function FunnelRow({ label, count, before }: { label: string; count: number; before: number | undefined }) {
  const share = count === 0 || before === 0 ? 0 : Math.min(1, count / (before ?? count))
  return (
    <li className="grid h-11 grid-cols-[144px_minmax(0,1fr)_64px_56px] items-center gap-3 px-5 text-base phone:grid-cols-[104px_minmax(0,1fr)_44px_52px] phone:px-4">
      <span>{label}</span>
      <span aria-hidden className="h-3 bg-ink-3">
        <span className="block h-full bg-text-3" style={{ width: `${100 * share}%` }} />
      </span>
      <span className="text-right text-data font-medium">{count.toLocaleString(numberLocale)}</span>
      <span className="text-right text-data text-2">{before === undefined ? 'start' : percent(count, before)}</span>
    </li>
  )
}

export function RetentionPanel() {
  const query = useQuery(adminQueries.customers)
  const cohorts = query.data?.cohorts ?? []
  return (
    <Panel title="Retention" detail="share that paid again in each later week" flush>
      <FetchedRows query={query} loading={loading} failed={failed} empty={null}>
        {cohorts.length > 0 && (
          <Table caption="Accounts by the week of their first payment, and the share that paid again">
            <thead>
              <tr>
                <Th>Week of</Th>
                <Th className="text-right">n</Th>
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
      </FetchedRows>
    </Panel>
  )
}

type CohortRowProps = { cohort: BusinessCustomers['cohorts'][number]; columns: number }

function CohortRow({ cohort: { week, size, paidAgain }, columns }: CohortRowProps) {
  return (
    <Tr compact>
      <Td mono>{dayWords(week)}</Td>
      <Td mono className="text-right">
        {size.toLocaleString(numberLocale)}
      </Td>
      {Array.from({ length: columns }, (_, at) => {
        const share = paidAgain[at]
        const strength = share == null ? 0 : Math.round(share * 45)
        return (
          <Td
            // biome-ignore lint/suspicious/noArrayIndexKey: the column is the week's number
            key={at}
            mono
            className="text-center"
            style={{ background: `color-mix(in oklab, var(--color-text-1) ${strength}%, transparent)` }}
          >
            {at >= paidAgain.length ? '' : share == null ? '—' : `${Math.round(100 * share)}%`}
          </Td>
        )
      })}
    </Tr>
  )
}

export function ChurnPanel() {
  const query = useQuery(adminQueries.customers)
  const { data } = query
  return (
    <Panel
      title="Churn risk"
      detail={data && `${data.ending.count.toLocaleString(numberLocale)} plans end within 24 h, nothing queued`}
      flush
    >
      <FetchedRows query={query} loading={loading} failed={failed} empty={null}>
        {data && (
          <>
            {data.ending.accounts.length === 0 ? (
              <EmptyState title="No plan ends within 24 hours">
                Accounts whose access ends soon appear here, those that end first.
              </EmptyState>
            ) : (
              <ul
                aria-label="Plans that end within 24 hours"
                className="max-h-50 divide-y divide-line-1 overflow-y-auto"
              >
                {data.ending.accounts.map((account) => (
                  <EndingRow key={account.id} account={account} />
                ))}
              </ul>
            )}
            <dl className="flex flex-wrap gap-x-8 gap-y-3 border-t border-line-1 px-5 py-3 phone:px-4">
              <Total label="Churn, 30 d">{percent(data.churn.lost, data.churn.hadPlan)}</Total>
              <Total label="Per payer">
                {data.paying30.accounts === 0
                  ? '—'
                  : `${roundedIto(BigInt(data.paying30.sumWei) / BigInt(data.paying30.accounts))} ITO`}
              </Total>
              <Total label="Renewals, 7 d">{data.renewals7.toLocaleString(numberLocale)}</Total>
            </dl>
          </>
        )}
      </FetchedRows>
    </Panel>
  )
}

function EndingRow({ account }: { account: BusinessCustomers['ending']['accounts'][number] }) {
  const { id, name, email, planType, endsAt, payments, lastSeenAt } = account
  const { go } = useAdminPlace()
  return (
    <li className="flex min-h-12 items-center gap-4 px-5 py-2 text-base phone:px-4">
      <span className="min-w-0 flex-1">
        <button type="button" className="link touch-target truncate" onClick={() => go.show(id)}>
          {name || email || 'Unknown User'}
        </button>
        <span className="block text-hint text-2">
          {payments === 1 ? 'never renewed' : `${payments.toLocaleString(numberLocale)} payments`}
          {lastSeenAt !== null && (
            <>
              {', seen '}
              <Time at={lastSeenAt} show="relative" />
            </>
          )}
        </span>
      </span>
      <span className="text-2">{getPlan(planType).name}</span>
      <Time at={endsAt} className="text-data font-medium" />
    </li>
  )
}

function Total({ label, children }: { label: string; children: string }) {
  return (
    <div>
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-1 text-number-sm">{children}</dd>
    </div>
  )
}
