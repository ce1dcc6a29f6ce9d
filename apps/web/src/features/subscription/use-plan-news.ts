import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useUser } from '../../auth.tsx'
import { useOtherTabs } from '../../other-tabs.ts'
import { queries } from '../../queries.ts'
import { useWallet } from '../../wallet/wallet.tsx'

/**
 * Reads again all that a new period shows. The alerts first: the stream then only brings what comes
 * after.
 */
export function useReadWhatPlanOpens(): () => Promise<void> {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const { refreshBalance } = useWallet()
  return useCallback(async () => {
    await Promise.all([
      queryClient.refetchQueries({ queryKey: queries.recentAlerts.queryKey }),
      queryClient.refetchQueries({ queryKey: queries.userAlerts(userId).queryKey }),
      refreshBalance().catch(() => {}),
    ])
    void queryClient.invalidateQueries({ queryKey: queries.activity.queryKey })
    await queryClient.invalidateQueries({ queryKey: queries.activeSubscription(userId).queryKey })
  }, [queryClient, userId, refreshBalance])
}

/** Follows what this browser's other tabs order and pay. */
export function usePlanNews(): void {
  const queryClient = useQueryClient()
  const readWhatPlanOpens = useReadWhatPlanOpens()
  const readOrders = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: queries.orders.queryKey }),
    [queryClient],
  )
  const followPlan = useCallback(() => {
    readOrders()
    void readWhatPlanOpens()
  }, [readOrders, readWhatPlanOpens])
  useOtherTabs('purchase', readOrders)
  useOtherTabs('subscription', followPlan)
}
