import { getPlan } from '@tocsin/protocol'
import { Badge } from '../../ui/badge.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFlow } from './flow-context.ts'
import { PlanChoice } from './plan-choice.tsx'
import { formatIto, type PurchasePhase } from './purchase.ts'
import { PurchaseActions } from './purchase-actions.tsx'
import { PurchaseFacts } from './purchase-facts.tsx'
import { PurchaseSteps } from './purchase-steps.tsx'
import { isQueued } from './subscription-time.ts'

const titles: Record<PurchasePhase, string> = {
  choose: 'Subscribe to Insights',
  confirm: 'Confirm purchase',
  ordering: 'Confirm purchase',
  proving: 'Prove this wallet',
  approving: 'Approve in your wallet',
  approved: 'Approval sent',
  collecting: 'Approved',
  wallet: 'Confirm in your wallet',
  sent: 'Payment sent',
  confirming: 'Payment in a block',
  active: 'Subscription active',
  underpaid: 'Payment incomplete',
  reorganised: 'Payment rolled back',
  reverted: 'Payment failed',
  dropped: 'Payment dropped',
  expired: 'Order expired',
  cancelled: 'Order cancelled',
}

/**
 * The dialog of the whole purchase. All phases share one layout, so rows and buttons don't move.
 */
export function PurchaseDialog({ isOpen }: { isOpen: boolean }) {
  const { phase, order, outcome, close } = useFlow()
  const isCancelled = phase === 'dropped' && outcome?.result === 'cancelled'
  const isWaiting = phase === 'active' && isQueued(order?.subscription?.startTime, Date.now())
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) close()
      }}
      title={isWaiting ? 'Plan paid' : isCancelled ? 'Payment cancelled' : titles[phase]}
      {...(phase === 'active' ? { aside: <Badge tone="ok">{isWaiting ? 'Queued' : 'Active'}</Badge> } : {})}
      {...(phase === 'choose'
        ? { description: 'One payment gives you live alerts for a fixed time. Plans do not renew.' }
        : {})}
    >
      {phase === 'choose' ? <PlanChoice /> : <PurchaseBody />}
    </Dialog>
  )
}

function PurchaseBody() {
  const { purchase, order } = useFlow()
  const plan = getPlan(order?.planType ?? purchase.planId ?? '24h')
  const price = order === null ? String(plan.price) : formatIto(BigInt(order.priceWei))
  return (
    <>
      <div className="flex items-start justify-between gap-4">
        <div>
          <p className="text-body font-semibold">{plan.name}</p>
          <p className="text-base text-2">{plan.hours} hours of live alerts</p>
        </div>
        <p className="whitespace-nowrap">
          <span className="text-number">{price}</span> <span className="ml-1 text-base text-2">ITO</span>
        </p>
      </div>
      <CountdownCells hours={plan.hours} className="my-3" />
      <PurchaseFacts />
      <div className="mt-3">
        <PurchaseSteps />
      </div>
      <PurchaseActions />
    </>
  )
}
