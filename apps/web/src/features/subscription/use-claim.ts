import { useQueryClient } from '@tanstack/react-query'
import type { PlanId, Subscription } from '@tocsin/protocol'
import { type Dispatch, useCallback, useEffect } from 'react'
import { call } from '../../api.ts'
import { tellOtherTabs, useOtherTabs } from '../../other-tabs.ts'
import { queries } from '../../queries.ts'
import { toast } from '../../ui/toast.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { ClaimError, claimPayment } from './claim.ts'
import {
  forgetPending,
  type PendingPayment,
  type Purchase,
  type PurchaseEvent,
  readPending,
  writePending,
} from './purchase.ts'

/** Turns a payment that was sent into a subscription, and follows its transaction meanwhile. Runs again after a reload. */
export function useClaim(userId: string, purchase: Purchase, dispatch: Dispatch<PurchaseEvent>): void {
  const queryClient = useQueryClient()
  const { waitForReceipt, refreshBalance } = useWallet()
  const { hash, planId } = purchase
  const isClaiming = purchase.phase === 'sent' || purchase.phase === 'confirming'

  const readWhatPlanOpens = useCallback(async () => {
    // Before the stream starts, so that the stream only brings what comes after.
    await Promise.all([
      queryClient.refetchQueries({ queryKey: queries.recentAlerts.queryKey }),
      queryClient.refetchQueries({ queryKey: queries.userAlerts(userId).queryKey }),
      refreshBalance().catch(() => {}),
    ])
    void queryClient.invalidateQueries({ queryKey: queries.activity.queryKey })
  }, [queryClient, userId, refreshBalance])

  const followOtherTab = useCallback(async () => {
    await readWhatPlanOpens()
    await queryClient.invalidateQueries({ queryKey: queries.activeSubscription(userId).queryKey })
  }, [readWhatPlanOpens, queryClient, userId])
  useOtherTabs('subscription', followOtherTab)

  useEffect(() => {
    if (!isClaiming || hash === null) return
    const controller = new AbortController()
    const { signal } = controller

    async function claim(payment: PendingPayment): Promise<void> {
      const subscription = await claimPayment(payment, {
        post: postClaim(userId),
        wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        nowMs: () => performance.now(),
        signal,
        onConfirming: (confirmations, required) => dispatch({ type: 'confirming', confirmations, required }),
      })
      if (!subscription || signal.aborted) return
      forgetPending(userId)
      tellOtherTabs('subscription')
      await readWhatPlanOpens()
      queryClient.setQueryData(queries.activeSubscription(userId).queryKey, subscription)
      dispatch({ type: 'started', subscription })
      toast({ title: 'Subscription active', description: 'Live alerts are on.', variant: 'success' })
    }

    async function fail(error: unknown): Promise<void> {
      if (signal.aborted) return
      const message = error instanceof ClaimError ? error.message : 'Failed to create subscription'
      if (error instanceof ClaimError && error.isFinal) forgetPending(userId)
      dispatch({ type: 'failed', message })
      toast({ title: 'Subscription Failed', description: message, variant: 'destructive' })
      // The server may have credited the payment by itself.
      await queryClient.invalidateQueries({ queryKey: queries.activeSubscription(userId).queryKey })
    }

    async function follow(payment: PendingPayment): Promise<void> {
      const outcome = await waitForReceipt(payment.hash, (newHash) => {
        writePending(userId, { ...payment, hash: newHash })
        if (!signal.aborted) dispatch({ type: 'sent', hash: newHash })
      })
      if (outcome !== 'cancelled' || signal.aborted) return
      forgetPending(userId)
      dispatch({ type: 'rejected', message: 'You cancelled this payment in your wallet.' })
    }

    const payment = readPending(userId) ?? { hash, planId, walletAddress: '' }
    claim(payment).catch(fail)
    // The server decides; without a wallet to ask, only a replaced transaction would go unnoticed here.
    follow(payment).catch(() => {})
    return () => controller.abort()
  }, [isClaiming, hash, planId, userId, queryClient, waitForReceipt, readWhatPlanOpens, dispatch])
}

function postClaim(userId: string) {
  return ({ planId, hash }: { planId: PlanId; hash: string }): Promise<Subscription> =>
    call('subscribe', { body: { userId, planType: planId, transactionHash: hash } })
}
