import { adminPaymentsTexts } from '../../texts/admin-payments.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { ReconciliationPanel } from './reconciliation-panel.tsx'
import { UnmatchedList } from './unmatched-list.tsx'
import { UnusualOrders } from './unusual-orders.tsx'
import { useAdminPlace } from './use-admin-place.ts'

const texts = adminPaymentsTexts.paymentsView

const states = [
  { value: 'open', label: texts.open },
  { value: 'resolved', label: texts.resolved },
] as const

export function PaymentsView() {
  const { state, go } = useAdminPlace()
  return (
    <>
      <UnmatchedList
        state={state}
        right={
          <Segmented
            label={texts.whichPayments}
            value={state}
            onChange={(next) => go.refine({ state: next })}
            choices={states}
          />
        }
      />
      <UnusualOrders />
      <ReconciliationPanel />
    </>
  )
}
