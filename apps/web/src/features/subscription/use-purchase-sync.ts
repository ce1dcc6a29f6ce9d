import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { queries } from '../../api/queries.ts'
import { useOtherTabs } from '../../browser/other-tabs.ts'
import { useUser } from '../../session/auth.tsx'
import { useWallet } from '../../wallet/wallet.tsx'

/**
 * Returns a function that refetches everything that a new period unlocks. The alerts come first, so
 * that the stream has to deliver only newer alerts.
 */
export function useRefetchAfterPlanChange(): () => Promise<void> {
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

/** Refetches when another tab of this browser creates an order or pays. */
export function usePurchaseSync(): void {
  const queryClient = useQueryClient()
  const refetchAfterPlanChange = useRefetchAfterPlanChange()
  const refetchOrders = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: queries.orders.queryKey }),
    [queryClient],
  )
  const refetchAll = useCallback(() => {
    refetchOrders()
    void refetchAfterPlanChange()
  }, [refetchOrders, refetchAfterPlanChange])
  useOtherTabs('purchase', refetchOrders)
  useOtherTabs('subscription', refetchAll)
}
