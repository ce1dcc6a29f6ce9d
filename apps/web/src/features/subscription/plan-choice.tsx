import { plans } from '@tocsin/protocol'
import { Button } from '../../ui/button.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { Balance } from './balance.tsx'
import { useFlow } from './flow-context.ts'
import { useSelectPlan } from './use-select-plan.ts'
import { useSubscription } from './use-subscription.ts'

/** The three plans as a list, for the purchase dialog. */
export function PlanChoice() {
  const { dispatch } = useFlow()
  const { balanceWei, status, openConnect } = useWallet()
  const { subscription } = useSubscription()
  const select = useSelectPlan(({ id }) => dispatch({ type: 'opened', planId: id }))
  return (
    <>
      {subscription !== null && <p className="mb-4 text-base text-2">You already have an active subscription</p>}
      <ul className="divide-y divide-line-1 border-b border-line-1">
        {plans.map((plan) => (
          <li key={plan.id} className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 py-3 first:pt-0">
            <div>
              <p className="text-body font-semibold">{plan.name}</p>
              <p className="text-base text-2">{plan.description}</p>
            </div>
            <p className="text-right whitespace-nowrap">
              <span className="text-number-sm">{plan.price}</span> <span className="ml-1 text-base text-2">ITO</span>
            </p>
            <CountdownCells hours={plan.hours} layout="small" className="mt-3 self-start" />
            <Button className="mt-2" onClick={() => void select(plan)}>
              Select Plan
            </Button>
          </li>
        ))}
      </ul>
      {status === 'disconnected' && (
        <p className="mt-4 flex items-center justify-between gap-4 text-base text-2">
          Wallet not connected
          <Button onClick={openConnect}>Connect Wallet</Button>
        </p>
      )}
      <p className="mt-4 flex justify-between text-base text-2">
        Your balance <Balance balanceWei={balanceWei} />
      </p>
    </>
  )
}
