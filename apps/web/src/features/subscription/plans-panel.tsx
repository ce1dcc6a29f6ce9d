import { type Plan, plans } from '@tocsin/protocol'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useWalletField } from '../../wallet/use-wallet-state.ts'
import { Balance } from './balance.tsx'
import { usePurchase } from './purchase-provider.tsx'
import { useRunningSubscription } from './use-running-subscription.ts'
import { useSelectPlan } from './use-select-plan.ts'

/** The three plans in columns. Selecting one that can't be bought shows the reason in a toast. */
export function PlansPanel() {
  const balanceWei = useWalletField('balanceWei')
  const subscription = useRunningSubscription()
  const { open } = usePurchase()
  return (
    <Panel
      title="Subscription plans"
      flush
      actions={
        <>
          {subscription && (
            <span className="text-base text-2 phone:hidden">You already have an active subscription</span>
          )}
          {!subscription && (
            <Button size="sm" variant="ghost" onClick={() => open()}>
              Use a coupon
            </Button>
          )}
          <Balance balanceWei={balanceWei} />
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
  const subscription = useRunningSubscription()
  const select = useSelectPlan(({ id }) => open(id))
  return (
    <li className="flex flex-col p-5 phone:p-4">
      <div className="flex h-5 items-center justify-between">
        <h3 className="text-base font-semibold">{plan.name}</h3>
        {subscription?.planType === plan.id && <Badge plain>Current</Badge>}
      </div>
      <p className="mt-1">
        <span className="text-number">{plan.price}</span> <span className="ml-1 text-base text-2">ITO</span>
      </p>
      <div className="mt-2 flex min-h-10.5 items-end phone:mt-3 phone:min-h-0">
        <CountdownCells hours={plan.hours} layout="plan" />
      </div>
      <ul className="mt-4 mb-1 flex flex-1 list-['–_'] flex-col gap-1.5 pl-3 text-base text-2">
        {plan.features.map((feature) => (
          <li key={feature}>{feature}</li>
        ))}
      </ul>
      <Button
        className="mt-3 w-full max-xl:h-auto max-xl:min-h-8 max-xl:px-1 max-xl:whitespace-normal"
        aria-label={`Select Plan: ${plan.name}, ${plan.price} ITO`}
        onClick={() => void select(plan)}
      >
        Select Plan
      </Button>
    </li>
  )
}
