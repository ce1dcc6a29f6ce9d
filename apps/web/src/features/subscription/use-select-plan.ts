import type { Plan } from '@tocsin/protocol'
import { toast } from '../../ui/toast.tsx'
import { useWalletActions } from '../../wallet/wallet.tsx'
import { walletStore } from '../../wallet/wallet-store.ts'
import { refusePlan } from './refuse-plan.ts'
import { useRunningSubscription } from './use-running-subscription.ts'

/**
 * Returns a function that selects a plan, or shows a toast with the reason if it can't be bought
 * now. The plan buttons stay enabled because a disabled button could not show the reason.
 */
export function useSelectPlan(onSelected: (plan: Plan) => void): (plan: Plan) => Promise<void> {
  const { refreshBalance } = useWalletActions()
  const subscription = useRunningSubscription()

  return async function select(plan: Plan): Promise<void> {
    // Read the balance again if an earlier read failed.
    if (walletStore.snapshot().balanceWei === null) await refreshBalance().catch(() => {})
    const { status, balanceWei } = walletStore.snapshot()
    const isConnected = status === 'connected'
    const reason = refusePlan(plan, { isConnected, hasSubscription: subscription !== null, balanceWei })
    if (reason === null) onSelected(plan)
    else toast({ title: 'Subscription Failed', description: reason, variant: 'destructive' })
  }
}
