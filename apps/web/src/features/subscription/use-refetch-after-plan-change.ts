import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { livePricesQuery } from '../../stream/live-prices.ts'
import { useWalletActions } from '../../wallet/wallet.tsx'

/**
 * Returns a function that refetches everything that a new period unlocks. The alerts come first, so
 * that the stream has to deliver only newer alerts.
 */
export function useRefetchAfterPlanChange(): () => Promise<void> {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const { refreshBalance } = useWalletActions()
  return useCallback(async () => {
    await Promise.all([
      queryClient.refetchQueries({ queryKey: queries.recentAlerts.queryKey }),
      queryClient.refetchQueries({ queryKey: queries.userAlerts(userId).queryKey }),
      refreshBalance().catch(() => {}),
    ])
    void queryClient.invalidateQueries({ queryKey: queries.activity.queryKey })
    // Refetch whether live prices are available: the result is false without a subscription, and it
    // is not polled.
    void queryClient.invalidateQueries({ queryKey: livePricesQuery.queryKey })
    await queryClient.invalidateQueries({ queryKey: queries.activeSubscription(userId).queryKey })
  }, [queryClient, userId, refreshBalance])
}
