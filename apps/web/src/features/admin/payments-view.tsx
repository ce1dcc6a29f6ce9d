import { Segmented } from '../../ui/segmented.tsx'
import { ReconciliationPanel } from './reconciliation-panel.tsx'
import { UnmatchedList } from './unmatched-list.tsx'
import { UnusualOrders } from './unusual-orders.tsx'
import { useAdminPlace } from './use-admin-place.ts'

const states = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
] as const

export function PaymentsView() {
  const { state, go } = useAdminPlace()
  return (
    <>
      <UnmatchedList
        state={state}
        right={
          <Segmented
            label="Filter by status"
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
