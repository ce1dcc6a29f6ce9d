import type { Plan } from '@tocsin/protocol'
import { toast } from '../../ui/toast.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { walletStore } from '../../wallet/wallet-store.ts'
import { refusePlan } from './refuse-plan.ts'
import { useSubscription } from './use-subscription.ts'

/**
 * Goes on with a chosen plan, or says in a toast why it can't be bought now. The buttons stay
 * enabled, because a disabled one can't say why.
 */
export function useSelectPlan(onSelected: (plan: Plan) => void): (plan: Plan) => Promise<void> {
  const { refreshBalance } = useWallet()
  const { subscription } = useSubscription()

  return async function select(plan: Plan): Promise<void> {
    // A balance that could not be read may be readable by now.
    if (walletStore.snapshot().balanceWei === null) await refreshBalance().catch(() => {})
    const { status, balanceWei } = walletStore.snapshot()
    const isConnected = status === 'connected'
    const sentence = refusePlan(plan, { isConnected, hasSubscription: subscription !== null, balanceWei })
    if (sentence === null) onSelected(plan)
    else toast({ title: 'Subscription Failed', description: sentence, variant: 'destructive' })
  }
}
