import { useQueryClient } from '@tanstack/react-query'
import type { Subscription } from '@tocsin/protocol'
import { useEffect } from 'react'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { useNow } from '../../ui/now.ts'
import { getStatus } from './subscription-time.ts'
import { useSubscription } from './use-subscription.ts'

/**
 * The subscription of the signed-in user until its end, then null, so that a new plan can be bought
 * immediately. Refetches it at the end, because without a live stream it is polled only once a
 * minute.
 */
export function useRunningSubscription(): Subscription | null {
  const { id } = useUser()
  const queryClient = useQueryClient()
  const { subscription } = useSubscription()
  const hasEnded = useNow((nowMs) => getStatus(subscription, nowMs) === 'Expired')
  useEffect(() => {
    if (!hasEnded) return
    // Do not cancel a running refetch: several components use this hook and share one request.
    const { queryKey } = queries.activeSubscription(id)
    void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false })
  }, [hasEnded, id, queryClient])
  return hasEnded ? null : subscription
}
