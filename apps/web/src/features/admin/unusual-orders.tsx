import { useInfiniteQuery } from '@tanstack/react-query'
import type { AdminOrder } from '@tocsin/protocol'
import { useState } from 'react'
import { adminPaymentsTexts } from '../../texts/admin-payments.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { adminQueries, type OrderSelection } from './admin-queries.ts'
import { FetchedRows } from './fetched-rows.tsx'
import { LoadMore } from './load-more.tsx'
import { flagWords, unusualFlags } from './order-words.ts'
import { ResolveOrderDialog } from './resolve-order-dialog.tsx'
import { UnusualOrderRow } from './unusual-order-row.tsx'
import { useAdminPlace } from './use-admin-place.ts'

const texts = adminPaymentsTexts.unusualOrders

const flags = unusualFlags.map((value) => ({ value, label: flagWords[value] }))
const states = [
  { value: 'open', label: texts.open },
  { value: 'resolved', label: texts.resolved },
] as const

export const unusualOrdersId = 'unusual-purchases'

/** Purchases that were granted, or not, on a payment that was not quite what was asked for. */
export function UnusualOrders() {
  const { flag, purchases: state, go } = useAdminPlace()
  const query = useInfiniteQuery(adminQueries.orders({ flag, state }))
  const { data, hasNextPage } = query
  const [resolving, setResolving] = useState<AdminOrder>()
  const orders = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div id={unusualOrdersId} className="grid min-w-0 scroll-mt-20">
      <Panel
        title={texts.unusualPurchases}
        right={
          <Segmented
            label={texts.whichPurchases}
            value={state}
            onChange={(next) => go.refine({ purchases: next })}
            choices={states}
          />
        }
        flush
        footer={
          orders.length === 0 ? undefined : (
            <LoadMore query={query}>{texts.showingNewestFirst({ hasNextPage, count: orders.length })}</LoadMore>
          )
        }
      >
        <div className="border-b border-line-1 px-5 py-2 phone:px-4">
          <Segmented
            label={texts.whatWasUnusual}
            value={flag}
            onChange={(next) => go.refine({ flag: next })}
            choices={flags}
          />
        </div>
        <FetchedRows
          query={query}
          loading={{ label: texts.loadingUnusualPurchases, rows: 2 }}
          failed={texts.failedToFetchUnusual}
          empty={<NoOrders flag={flag} state={state} />}
        >
          {orders.length > 0 && (
            <ul className="divide-y divide-line-1">
              {orders.map((order) => (
                <UnusualOrderRow key={order.id} order={order} onResolve={setResolving} />
              ))}
            </ul>
          )}
        </FetchedRows>
        {resolving && <ResolveOrderDialog order={resolving} onClose={() => setResolving(undefined)} />}
      </Panel>
    </div>
  )
}

const noneOpen: Record<OrderSelection['flag'], string> = {
  over: texts.nobodyHasPaidTooMuch,
  late: texts.nobodyHasPaidTooLate,
  multiple: texts.nobodyHasPaidInSeveral,
}
const meaning: Record<OrderSelection['flag'], string> = {
  over: texts.planIsGrantedWhenMore,
  late: texts.paymentAfterTheTimeLimit,
  multiple: texts.purchaseThatWasPaid,
}

function NoOrders({ flag, state }: OrderSelection) {
  return state === 'open' ? (
    <EmptyState title={noneOpen[flag]}>{meaning[flag]}</EmptyState>
  ) : (
    <EmptyState title={texts.nothingWasResolvedYet}>{texts.whatYouResolveIsKept}</EmptyState>
  )
}
