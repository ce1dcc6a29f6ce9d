import { getPlan } from '@tocsin/protocol'
import { purchaseTexts } from '../../texts/purchase.tsx'
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

const texts = purchaseTexts.purchaseDialog

const titles: Record<PurchasePhase, string> = {
  choose: texts.subscribeToInsights,
  confirm: texts.confirmPurchase,
  ordering: texts.confirmPurchase,
  proving: texts.proveThisWallet,
  approving: texts.approveInYourWallet,
  approved: texts.approvalSent,
  collecting: texts.approved,
  wallet: texts.confirmInYourWallet,
  sent: texts.paymentSent,
  confirming: texts.paymentInABlock,
  active: texts.subscriptionActive,
  underpaid: texts.paymentIncomplete,
  reorganised: texts.paymentRolledBack,
  reverted: texts.paymentFailed,
  dropped: texts.paymentDropped,
  expired: texts.orderExpired,
  cancelled: texts.orderGivenUp,
}

/** One dialog for the whole purchase. Its rows and its button never move; only what is true changes. */
export function PurchaseDialog({ isOpen }: { isOpen: boolean }) {
  const { phase, order, followed, close } = useFlow()
  const isCancelled = phase === 'dropped' && followed?.result === 'cancelled'
  const isWaiting = phase === 'active' && isQueued(order?.subscription?.startTime, Date.now())
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) close()
      }}
      title={isWaiting ? texts.planPaid : isCancelled ? texts.paymentCancelled : titles[phase]}
      {...(phase === 'active' ? { aside: <Badge tone="ok">{isWaiting ? texts.queued : texts.active}</Badge> } : {})}
      {...(phase === 'choose' ? { description: texts.onePaymentOpensLiveAlerts } : {})}
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
          <p className="text-base text-2">{texts.hoursOfLiveAlerts({ hours: plan.hours })}</p>
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
