import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useEffect, useRef } from 'react'
import { useUser } from '../../auth.tsx'
import { tellOtherTabs } from '../../other-tabs.ts'
import { queries } from '../../queries.ts'
import { toast } from '../../ui/toast.tsx'
import { isQueued } from './subscription-time.ts'
import { useReadWhatPlanOpens } from './use-plan-news.ts'

/**
 * What a payment opens, and what its loss takes away, is read at once. Only what this page has seen
 * happen is news.
 * @param isShown the dialog is open and says that the plan runs
 */
export function useOrderNews(isShown: boolean): void {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const readWhatPlanOpens = useReadWhatPlanOpens()
  const { data } = useQuery(queries.orders)
  const needsToast = useRef(!isShown)
  needsToast.current = !isShown
  const seen = useRef<ReadonlyMap<string, Order['status']> | null>(null)

  useEffect(() => {
    if (!data) return
    const before = seen.current
    seen.current = new Map(data.items.map(({ id, status }) => [id, status]))
    if (before === null) return
    for (const order of data.items) if (before.get(order.id) !== order.status) tell(order)

    function tell({ status, subscription }: Order): void {
      if (status === 'paid') void arrive(subscription?.startTime)
      if (status !== 'failed' && status !== 'reorganised') return
      const description = status === 'failed' ? 'The network rejected the payment.' : 'The network rolled it back.'
      toast({ title: 'Subscription Failed', description, variant: 'destructive' })
      void queryClient.invalidateQueries({ queryKey: queries.activeSubscription(userId).queryKey })
    }

    async function arrive(startTime: string | undefined): Promise<void> {
      await readWhatPlanOpens()
      tellOtherTabs('subscription')
      if (!needsToast.current) return
      const isWaiting = isQueued(startTime, Date.now())
      const description = isWaiting ? 'It starts when the running plan ends.' : 'Live alerts are on.'
      toast({ title: isWaiting ? 'Plan Paid' : 'Subscription Active', description, variant: 'success' })
    }
  }, [data, userId, queryClient, readWhatPlanOpens])
}
