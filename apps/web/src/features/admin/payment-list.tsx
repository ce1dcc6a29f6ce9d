import { useInfiniteQuery } from '@tanstack/react-query'
import { getPlan, type ListedPayment, type PaymentState, paymentStates, planIds, plans } from '@tocsin/protocol'
import { Suspense, useCallback, useState } from 'react'
import { call } from '../../api/api.ts'
import { Address } from '../../ui/address.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNewestFirst } from '../../ui/format-newest-first.ts'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveCsv } from '../../ui/save-file.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { shortenHash } from '../../ui/short-hex.ts'
import { Time } from '../../ui/time.tsx'
import { Transaction } from '../../ui/transaction.tsx'
import { adminQueries, omitEmptyValues, type PaymentSelection } from './admin-queries.ts'
import { useAllowed } from './allowed.tsx'
import { ExportButton } from './export-button.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { paymentStateWords } from './payment-texts.ts'
import { QueryRows } from './query-rows.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { getDisplayName } from './user-texts.ts'

const RefundDialog = lazyLoad(async () => (await import('./refund-dialog.tsx')).RefundDialog)

/** Lists every payment to the treasury, in all states, with filters, search and export. */
export function PaymentList() {
  const { search, payment: state, plan, go } = useAdminSearchParams()
  const selection = { search, state, plan }
  const query = useInfiniteQuery(adminQueries.payments(selection))
  const { data, hasNextPage } = query
  const payments = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Panel
      title="All payments"
      actions={
        <ExportButton
          load={() => call('exportPayments', { query: omitEmptyValues(selection) })}
          save={(csv) => saveCsv('tocsin-payments', csv)}
          what="payments"
          title="The filtered payments as CSV"
          label="Export payments"
          size="sm"
        />
      }
      flush
      footer={
        payments.length === 0 ? undefined : (
          <LoadMore query={query}>{formatNewestFirst(hasNextPage, payments.length)}</LoadMore>
        )
      }
    >
      <Filters selection={selection} />
      <QueryRows
        query={query}
        loading={{ label: 'Loading payments', rows: 4 }}
        failed="Failed to fetch payments"
        empty={
          search === '' && state === undefined && plan === undefined ? (
            <EmptyState title="No payments yet">Every transfer to the treasury appears here.</EmptyState>
          ) : (
            <EmptyState
              title="No payments match"
              action={
                <Button onClick={() => go.refine({ search: '', payment: undefined, plan: undefined })}>
                  Clear search and filters
                </Button>
              }
            >
              Search for a transaction hash, an address, an order, or part of the name or email address of an account.
            </EmptyState>
          )
        }
      >
        {payments.length > 0 && (
          <ul aria-label="All payments" className="divide-y divide-line-1">
            {payments.map((payment) => (
              <PaymentRow key={payment.id} payment={payment} />
            ))}
          </ul>
        )}
      </QueryRows>
    </Panel>
  )
}

function Filters({ selection: { search, state, plan } }: { selection: PaymentSelection }) {
  const { go } = useAdminSearchParams()
  const setSearch = useCallback((next: string) => go.refine({ search: next }), [go])
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line-1 px-5 py-2 phone:px-4">
      <SelectField
        hideLabel
        label="Filter payments by state"
        size="sm"
        value={state ?? ''}
        onChange={({ target }) => go.refine({ payment: paymentStates.find((one) => one === target.value) })}
        className="w-40 phone:min-w-32 phone:flex-1"
      >
        <option value="">All states</option>
        {paymentStates.map((one) => (
          <option key={one} value={one}>
            {paymentStateWords[one].label}
          </option>
        ))}
      </SelectField>
      <SelectField
        hideLabel
        label="Filter payments by plan"
        size="sm"
        value={plan ?? ''}
        onChange={({ target }) => go.refine({ plan: planIds.find((one) => one === target.value) })}
        className="w-40 phone:min-w-32 phone:flex-1"
      >
        <option value="">All plans</option>
        {plans.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SearchField
        label="Search payments"
        placeholder="Transaction, address or account"
        value={search}
        onSearch={setSearch}
        className="w-76 max-lg:min-w-60 max-lg:flex-1"
      />
    </div>
  )
}

function PaymentRow({ payment }: { payment: ListedPayment }) {
  const { at, state, tokenAmount, planType, orderId, payer, account, transactionHash, chainId } = payment
  const { go } = useAdminSearchParams()
  const { label, tone } = paymentStateWords[state]
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-6 gap-y-1 px-5 py-2.5 text-base xl:grid xl:grid-cols-[96px_112px_minmax(0,144px)_minmax(0,128px)_minmax(0,1fr)_136px_136px] phone:gap-x-4 phone:px-4">
      <Time at={at} className="text-data" />
      <Badge tone={tone} className="justify-self-start">
        {label}
      </Badge>
      <span className="text-data font-medium wrap-anywhere">{formatItoAmount(tokenAmount)}</span>
      <span className="text-2">
        {planType === null ? 'No plan' : getPlan(planType).name}
        {orderId !== null && (
          <button
            type="button"
            title={`All payments of the order ${orderId}`}
            className="link touch-target block text-hint"
            onClick={() => go.refine({ search: orderId, payment: undefined, plan: undefined })}
          >
            Order {shortenHash(orderId)}
          </button>
        )}
      </span>
      {account === null ? (
        <span className="text-2">No account</span>
      ) : (
        <button
          type="button"
          className="link touch-target justify-self-start text-left wrap-anywhere"
          onClick={() => go.show(account.id)}
        >
          {getDisplayName(account)}
        </button>
      )}
      <Address value={payer} copy />
      <Transaction hash={transactionHash} chainId={chainId} />
      <Refunds payment={payment} />
    </li>
  )
}

/**
 * States in which a refund of a payment can be recorded. In these states, the payment is confirmed.
 */
const refundableStates: readonly PaymentState[] = ['credited', 'overpaid', 'unmatched', 'ignored', 'refunded']

/** Lists the recorded refunds of a payment, with a button that records another one. */
function Refunds({ payment }: { payment: ListedPayment }) {
  const { state, refunds, chainId } = payment
  const [isRecording, setRecording] = useState(false)
  const mayRecord = useAllowed('payments.manage') && refundableStates.includes(state)
  if (refunds.length === 0 && !mayRecord) return null
  return (
    <span className="col-span-full flex w-full flex-wrap items-center justify-end gap-x-6 gap-y-1 text-hint text-2">
      {refunds.map(({ transactionHash, amountWei }) => (
        <span key={transactionHash} className="inline-flex items-center gap-2">
          Refunded {formatItoAmount(amountWei)} <Transaction hash={transactionHash} chainId={chainId} />
        </span>
      ))}
      {mayRecord && (
        <Button size="sm" variant="ghost" onClick={() => setRecording(true)}>
          Record refund…
        </Button>
      )}
      {isRecording && (
        <Suspense>
          <RefundDialog payment={payment} onClose={() => setRecording(false)} />
        </Suspense>
      )}
    </span>
  )
}
