import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useEffect, useRef } from 'react'
import { queries } from '../../api/queries.ts'
import { tellOtherTabs } from '../../browser/other-tabs.ts'
import { useUser } from '../../session/auth.tsx'
import { toast } from '../../ui/toast.tsx'
import { isQueued } from './subscription-time.ts'
import { useRefetchAfterPlanChange } from './use-purchase-sync.ts'

/**
 * Refetches and shows a toast when an order is paid, fails or is rolled back. Reacts only to
 * changes that happen while the page is open.
 * @param isShown the purchase dialog is open and already shows the active plan, so no toast is
 *   needed
 */
export function useOrderToasts(isShown: boolean): void {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const refetchAfterPlanChange = useRefetchAfterPlanChange()
  const { data } = useQuery(queries.orders)
  const needsToast = useRef(!isShown)
  needsToast.current = !isShown
  const previous = useRef<ReadonlyMap<string, Order['status']> | null>(null)

  useEffect(() => {
    if (!data) return
    const before = previous.current
    previous.current = new Map(data.items.map(({ id, status }) => [id, status]))
    if (before === null) return
    for (const order of data.items) if (before.get(order.id) !== order.status) handleChange(order)

    function handleChange({ status, subscription }: Order): void {
      if (status === 'paid') void handlePaid(subscription?.startTime)
      if (status !== 'failed' && status !== 'reorganised') return
      const description = status === 'failed' ? 'The network rejected the payment.' : 'The network rolled it back.'
      toast({ title: 'Subscription Failed', description, variant: 'destructive' })
      void queryClient.invalidateQueries({ queryKey: queries.activeSubscription(userId).queryKey })
    }

    async function handlePaid(startTime: string | undefined): Promise<void> {
      await refetchAfterPlanChange()
      tellOtherTabs('subscription')
      if (!needsToast.current) return
      const isWaiting = isQueued(startTime, Date.now())
      const description = isWaiting ? 'It starts when the running plan ends.' : 'Live alerts are on.'
      toast({ title: isWaiting ? 'Plan Paid' : 'Subscription Active', description, variant: 'success' })
    }
  }, [data, userId, queryClient, refetchAfterPlanChange])
}
