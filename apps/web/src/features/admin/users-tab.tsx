import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Reconciliation } from '@tocsin/protocol'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { Suspense } from 'react'
import { call } from '../../api/api.ts'
import { useUser } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { Transaction } from '../../ui/transaction.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { adminQueries, listKeys } from './admin-queries.ts'
import { Allowed } from './allowed.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { PaymentList } from './payment-list.tsx'
import { QueryRows } from './query-rows.tsx'
import { StateFilter } from './state-filter.tsx'
import { SubViews } from './sub-views.tsx'
import { UnmatchedList } from './unmatched-list.tsx'
import { OpenCount } from './unmatched-summary.tsx'
import { UnusualOrders } from './unusual-orders.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { UsersView } from './users-view.tsx'

const CouponsView = lazyLoad(async () => (await import('./coupons-view.tsx')).CouponsView)
const OutreachView = lazyLoad(async () => (await import('./outreach-view.tsx')).OutreachView)

const views = [
  { label: 'Users', view: undefined, needs: 'users.read', panel: <UsersView /> },
  { label: 'Payments', view: 'payments', needs: 'payments.read', mark: <OpenCount />, panel: <PaymentsView /> },
  { label: 'Coupons', view: 'coupons', needs: 'payments.read', panel: <CouponsView /> },
  { label: 'Announcements', view: 'outreach', needs: 'outreach.read', panel: <OutreachView /> },
] as const

export function UsersTab() {
  const { view } = useAdminSearchParams()
  const { permissions } = useUser()
  const allowedViews = views.filter(({ needs }) => permissions.includes(needs))
  const currentView = allowedViews.find((one) => one.view === view) ?? allowedViews[0]
  return (
    <div className="flex flex-col gap-4">
      {allowedViews.length > 1 && (
        <SubViews label="User Management" tab="users" current={currentView?.view} views={allowedViews} />
      )}
      <Suspense fallback={<SkeletonRows label="Loading" rows={4} />}>{currentView?.panel}</Suspense>
    </div>
  )
}

function PaymentsView() {
  const { state, go } = useAdminSearchParams()
  return (
    <>
      <PaymentList />
      <UnmatchedList
        state={state}
        right={<StateFilter value={state} onChange={(next) => go.refine({ state: next })} />}
      />
      <UnusualOrders />
      <ReconciliationPanel />
    </>
  )
}

/** Compares the payment ledger with the transfers on the chain. */
function ReconciliationPanel() {
  const queryClient = useQueryClient()
  const query = useQuery(adminQueries.reconciliation)
  const { data, refetch } = query
  const start = useMutation({
    mutationFn: () => call('startReconciliation'),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: [listKeys.audit] })
      return refetch()
    },
    onError: (reason) => toastFailure(reason, 'The check could not be started. Please try again.'),
  })
  const isRunning = start.isPending || data?.state === 'running'
  return (
    <Panel
      title="Reconciliation"
      actions={
        <Allowed to="payments.manage">
          <Button size="sm" busy={isRunning} onClick={() => start.mutate()}>
            {isRunning ? 'Checking…' : 'Check now'}
          </Button>
        </Allowed>
      }
      flush
    >
      <QueryRows
        query={query}
        loading={{ label: 'Loading the reconciliation', rows: 1 }}
        failed="Failed to fetch the reconciliation"
        empty={null}
      >
        {data && <Report report={data} />}
      </QueryRows>
    </Panel>
  )
}

function Report({ report }: { report: Reconciliation }) {
  const { state, ledger, chain, chainName, fromBlock, toBlock, checkedAt, differences, differenceCount } = report
  return (
    <>
      <p role="status" className="flex items-start gap-2 px-5 pt-5 text-base last:pb-5 phone:px-4">
        <Verdict report={report} />
      </p>
      {state === 'running' && (
        <div className="px-5 pt-3 phone:px-4">
          <progress
            aria-label="Checked so far"
            value={report.progress}
            max={1}
            className="block h-1 w-full accent-signal"
          />
        </div>
      )}
      {checkedAt !== null && (
        <dl className="m-5 grid grid-cols-3 border border-line-1 phone:m-4 phone:grid-cols-1">
          <Side label="Ledger" side={ledger} />
          <Side label={`Chain (${chainName})`} side={chain} />
          <div className="border-l border-line-1 px-4 py-3 first:border-l-0 phone:border-t phone:border-l-0">
            <dt className="text-label text-2">Blocks</dt>
            <dd className="mt-1 min-h-7 font-mono text-body font-medium wrap-anywhere">
              {`${fromBlock?.toLocaleString(numberLocale) ?? '—'} to ${toBlock?.toLocaleString(numberLocale) ?? '—'}`}
            </dd>
            <dd className="text-hint text-2">
              Last check: <Time at={checkedAt} show="relative" />
            </dd>
          </div>
        </dl>
      )}
      {differences.length > 0 && (
        <>
          <ul aria-label="Differences" className="divide-y divide-line-1 border-t border-line-1">
            {differences.map((difference) => (
              <DifferenceRow
                key={`${difference.transactionHash} ${difference.logIndex}`}
                difference={difference}
                chainId={report.chainId}
              />
            ))}
          </ul>
          {differenceCount > differences.length && (
            <p className="border-t border-line-1 px-5 py-3 text-base text-2 phone:px-4">
              The first {formatCount(differences.length)} of {formatCount(differenceCount)}.
            </p>
          )}
        </>
      )}
    </>
  )
}

function Verdict({ report: { state, failure, differenceCount, progress, checkedAt } }: { report: Reconciliation }) {
  if (state === 'running') return `Reading the chain, ${Math.floor(progress * 100)}% done.`
  const isBad = state === 'failed' || differenceCount > 0
  const Icon = isBad ? TriangleAlert : CircleCheck
  if (checkedAt === null && state === 'never') {
    return 'Not checked yet. A check reads every transfer to the treasury from the chain and compares it with the ledger.'
  }
  return (
    <>
      <Icon
        aria-hidden
        size={16}
        strokeWidth={2.25}
        className={`mt-0.5 shrink-0 ${isBad ? 'text-medium' : 'text-ok'}`}
      />
      <span className="min-w-0 font-medium wrap-anywhere">{formatReconciliation(state, failure, differenceCount)}</span>
    </>
  )
}

function formatReconciliation(state: Reconciliation['state'], failure: string | null, differenceCount: number): string {
  if (state === 'failed') return `The check failed${failure === null ? '.' : `: ${failure}`}`
  if (differenceCount === 0) return 'No differences: ledger and chain agree.'
  return differenceCount === 1 ? 'One difference.' : `${formatCount(differenceCount)} differences.`
}

function Side({ label, side: { count, sumWei } }: { label: string; side: Reconciliation['ledger'] }) {
  return (
    <div className="min-w-0 border-l border-line-1 px-4 py-3 first:border-l-0 phone:border-t phone:border-l-0 phone:first:border-t-0">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-1 min-h-7 font-mono text-body font-medium wrap-anywhere">{formatItoAmount(sumWei)}</dd>
      <dd className="text-hint text-2">{formatCountOf(count, 'transfer')}</dd>
    </div>
  )
}

const kindLabels = {
  not_in_ledger: 'On the chain, not in the ledger',
  not_on_chain: 'In the ledger, not on the chain',
  other_amount: 'Amounts differ',
}

type DifferenceRowProps = { difference: Reconciliation['differences'][number]; chainId: number }

function DifferenceRow({ difference: { kind, transactionHash, ledgerWei, chainWei }, chainId }: DifferenceRowProps) {
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-6 gap-y-1 px-5 py-2 text-base phone:px-4">
      <span className="min-w-52 font-medium">{kindLabels[kind]}</span>
      <span className="min-w-0 flex-1 wrap-anywhere text-2">
        Ledger <Amount wei={ledgerWei} />, chain <Amount wei={chainWei} />
      </span>
      <Transaction hash={transactionHash} chainId={chainId} />
    </li>
  )
}

function Amount({ wei }: { wei: string | null }) {
  return <span className="text-data text-1">{wei === null ? 'nothing' : formatItoAmount(wei)}</span>
}
