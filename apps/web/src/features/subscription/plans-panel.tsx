import { type Plan, plans } from '@tocsin/protocol'
import { plansTexts } from '../../texts/plans.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { Panel } from '../../ui/panel.tsx'
import { formatAmount } from '../../wallet/amount.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { usePurchase } from './purchase-provider.tsx'
import { useSubscription } from './use-subscription.ts'

const texts = plansTexts.plansPanel

/** The three plans. One can be selected when the balance covers it and no plan runs. */
export function PlansPanel() {
  const { balanceWei } = useWallet()
  const { subscription } = useSubscription()
  return (
    <Panel
      title={texts.subscriptionPlans}
      flush
      right={
        <>
          {subscription && <span className="text-base text-2 phone:hidden">{texts.youAlreadyHaveAnActive}</span>}
          <span className="text-data whitespace-nowrap">{formatAmount(balanceWei ?? 0n, 2)} ITO</span>
        </>
      }
    >
      <ul className="grid h-full grid-cols-3 divide-x divide-line-1 phone:grid-cols-1 phone:divide-x-0 phone:divide-y">
        {plans.map((plan) => (
          <PlanCell key={plan.id} plan={plan} />
        ))}
      </ul>
    </Panel>
  )
}

function PlanCell({ plan }: { plan: Plan }) {
  const { open } = usePurchase()
  const { balanceWei } = useWallet()
  const { subscription, isPending } = useSubscription()
  const isAffordable = (balanceWei ?? 0n) >= plan.priceWei
  const isSelectable = isAffordable && subscription === null && !isPending
  const support = plan.id === '3d' ? texts.prioritySupport : ''
  return (
    <li className="flex flex-col p-5 phone:p-4">
      <div className="flex h-5 items-center justify-between">
        <h3 className="text-base font-semibold">{plan.name}</h3>
        {subscription?.planType === plan.id && <Badge plain>{texts.current}</Badge>}
      </div>
      <p className="mt-1">
        <span className="text-number">{plan.price}</span> <span className="ml-1 text-base text-2">ITO</span>
      </p>
      <div className="mt-2 flex min-h-10.5 flex-1 items-end phone:mt-3 phone:min-h-0">
        <CountdownCells hours={plan.hours} layout="plan" />
      </div>
      <p className="mt-2 text-base text-2">{texts.features({ count: plan.features.length, support })}</p>
      <Button
        className="mt-3 w-full max-xl:h-auto max-xl:min-h-8 max-xl:px-1 max-xl:whitespace-normal"
        disabled={!isSelectable}
        aria-label={texts.selectNamed({ plan: plan.name, price: plan.price })}
        onClick={() => open(plan.id)}
      >
        {texts.selectPlan}
      </Button>
    </li>
  )
}
