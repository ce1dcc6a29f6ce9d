import { getPlan } from '@tocsin/protocol'
import { Badge } from '../../ui/badge.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { PlanChoice } from './plan-choice.tsx'
import type { PurchasePhase } from './purchase.ts'
import { PurchaseActions } from './purchase-actions.tsx'
import { PurchaseFacts } from './purchase-facts.tsx'
import { usePurchase } from './purchase-provider.tsx'
import { PurchaseSteps } from './purchase-steps.tsx'

const titles: Record<PurchasePhase, string> = {
  choose: 'Subscribe to Insights',
  confirm: 'Confirm purchase',
  proving: 'Prove this wallet',
  wallet: 'Confirm in your wallet',
  sent: 'Payment sent',
  confirming: 'Payment in a block',
  active: 'Subscription active',
  rejected: 'Confirm purchase',
  failed: 'Confirm purchase',
}

/** One dialog for the whole purchase. Its rows and its button never move; only what is true changes. */
export function PurchaseDialog() {
  const { purchase, isOpen, close } = usePurchase()
  const { phase } = purchase
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) close()
      }}
      title={titles[phase]}
      {...(phase === 'active' ? { aside: <Badge tone="ok">Active</Badge> } : {})}
      {...(phase === 'choose'
        ? { description: 'One payment opens live alerts for a fixed time. Nothing renews.' }
        : {})}
    >
      {phase === 'choose' ? <PlanChoice /> : <PurchaseBody />}
    </Dialog>
  )
}

function PurchaseBody() {
  const { purchase } = usePurchase()
  const { isProved, network } = useWallet()
  const plan = getPlan(purchase.planId)
  return (
    <>
      <div className="flex items-start justify-between gap-4">
        <div>
          <p className="text-body font-semibold">{plan.name}</p>
          <p className="text-base text-2">{plan.hours} hours of live alerts</p>
        </div>
        <p className="whitespace-nowrap">
          <span className="text-number">{plan.price}</span> <span className="ml-1 text-base text-2">ITO</span>
        </p>
      </div>
      <CountdownCells hours={plan.hours} className="my-3" />
      <PurchaseFacts />
      <div className="mt-3">
        <PurchaseSteps purchase={purchase} isProved={isProved} explorerUrl={network.explorerUrl} />
      </div>
      <PurchaseActions />
    </>
  )
}
