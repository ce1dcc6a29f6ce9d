import { useQuery } from '@tanstack/react-query'
import type { Plan } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { toast } from '../../ui/toast.tsx'
import { useWalletActions } from '../../wallet/wallet.tsx'
import { walletStore } from '../../wallet/wallet-store.ts'
import { findRefusalReason } from './refuse-plan.ts'
import { useRunningSubscription } from './use-running-subscription.ts'

/**
 * Returns a function that selects a plan, or shows a toast with the reason if it can't be bought
 * now. The plan buttons stay enabled because a disabled button could not show the reason.
 */
export function useSelectPlan(onSelected: (plan: Plan) => void): (plan: Plan) => Promise<void> {
  const { refreshBalance } = useWalletActions()
  const subscription = useRunningSubscription()
  const { data: config } = useQuery(queries.config)

  return async function select(plan: Plan): Promise<void> {
    // Read the balance again if an earlier read failed.
    if (walletStore.snapshot().balanceWei === null) await refreshBalance().catch(() => {})
    const { status, chainId, balanceWei } = walletStore.snapshot()
    const reason = findRefusalReason(plan, {
      isConnected: status === 'connected',
      hasSubscription: subscription !== null,
      isOnChain: config === undefined || chainId === config.chain.id,
      balanceWei,
    })
    if (reason === null) onSelected(plan)
    else toast({ title: 'Subscription Failed', description: reason, variant: 'destructive' })
  }
}
