import { useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useRef } from 'react'
import { ApiError, call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { notifyOtherTabs } from '../../browser/other-tabs.ts'
import { useUser } from '../../session/auth.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Funds } from '../../wallet/token-payment.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { WalletError } from '../../wallet/wallet-error.ts'
import { walletStore } from '../../wallet/wallet-store.ts'
import { withPaymentLock } from './payment-lock.ts'
import {
  createPayment,
  type PaymentEffect,
  type PaymentEvent,
  type PaymentState,
  reducePayment,
} from './payment-machine.ts'
import {
  type ActiveStep,
  getCouponPrice,
  type PaymentBlocker,
  type Purchase,
  type PurchaseEvent,
  type PurchaseTerms,
} from './purchase.ts'
import { describeFailure, describeWalletError } from './purchase-failure.ts'
import { dismissOrder, writePendingRequest, writeSentPayment } from './sent-payments.ts'
import { useGetOrCreateOrder } from './use-get-or-create-order.ts'
import { cacheOrder } from './use-order.ts'
import { useReportTransaction } from './use-reports.ts'

export type PaymentActions = {
  /**
   * Proves the wallet if necessary, creates an order and pays it. If a payment is already in
   * progress, shows that one instead of paying twice.
   */
  pay: () => void
  /** Stops waiting for the wallet. A payment that the user confirms later still counts. */
  stopWaiting: () => void
  /**
   * Reports a transaction that was sent outside this page, and stops waiting for the wallet.
   * Creates an order first if the page has no order.
   * @throws ApiError, WalletError
   */
  reportHash: (hash: string) => Promise<void>
  /** Dismisses an order that has been unconfirmed for a long time. The server keeps watching it. */
  stopWatching: () => void
  /** Stops waiting for the wallet and starts a new purchase of the same plan. */
  orderAgain: () => void
  /** Returns to the plan choice and cancels the order if it is unpaid. */
  chooseAnotherPlan: () => Promise<void>
}

type PaymentInput = {
  purchase: Purchase
  order: Order | null
  terms: PurchaseTerms | null
  obstacle: PaymentBlocker | null
  funds: Funds | null
  dispatch: (event: PurchaseEvent) => void
}

/** A running attempt to pay. `release` ends it, with an error if it failed, otherwise with null. */
type RunningAttempt = { state: PaymentState; controller: AbortController; release: (error: unknown) => void }

/** Executes the effects of the payment machine and sends it their results. */
export function usePayment({ purchase, order, terms, obstacle, funds, dispatch }: PaymentInput): PaymentActions {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const wallet = useWallet()
  const report = useReportTransaction()
  const getOrCreateOrder = useGetOrCreateOrder()
  /** Attempts that the user has not stopped. At most one of them pays. */
  const attempts = useRef(new Set<RunningAttempt>())

  function startAttempt(hash: string | null): RunningAttempt {
    const { planId } = purchase
    const couponCode = getCouponPrice(purchase, planId) === null ? null : (purchase.coupon?.couponCode ?? null)
    const goal = { hash, order, planId, couponCode, terms, payer: wallet.address, isProved: wallet.isProved }
    const attempt = { state: createPayment(goal), controller: new AbortController(), release: () => {} }
    attempts.current.add(attempt)
    return attempt
  }

  function sendEvent(attempt: RunningAttempt, event: PaymentEvent): void {
    const { state, effects } = reducePayment(attempt.state, event)
    attempt.state = state
    if (state.at === 'ended') attempts.current.delete(attempt)
    for (const effect of effects) {
      executeEffect(effect, attempt).then(
        (result) => result && sendEvent(attempt, result),
        (error: unknown) => sendEvent(attempt, { type: 'failed', error }),
      )
    }
  }

  async function executeEffect(effect: PaymentEffect, attempt: RunningAttempt): Promise<PaymentEvent | null> {
    const { signal } = attempt.controller
    switch (effect.type) {
      case 'lock': {
        const hasLock = await withPaymentLock(signal, async () => {
          await new Promise((resolve) => {
            attempt.release = resolve
            sendEvent(attempt, { type: 'locked' })
          })
        })
        return { type: hasLock ? 'unlocked' : 'lockRefused' }
      }
      case 'prove':
        await wallet.prove(signal)
        return { type: 'proved' }
      case 'getOrCreateOrder': {
        const found = await getOrCreateOrder(attempt.state.goal)
        return { type: 'ordered', order: found, address: walletStore.snapshot().address }
      }
      case 'readAllowance': {
        const { allowanceWei } = await wallet.readFunds(effect.payment, 'approve')
        return { type: 'allowanceRead', allowanceWei }
      }
      case 'send':
        return { type: 'sent', hash: await wallet.send(effect.payment, effect.path, signal) }
      case 'follow': {
        const outcome = await wallet.followTransaction(effect.chainId, effect.hash, () => {}).catch(() => null)
        return { type: 'followed', result: outcome?.result ?? null }
      }
      case 'refetch':
        await queryClient.invalidateQueries({ queryKey: ['funds'] })
        return {
          type: 'refetched',
          order: await queryClient.fetchQuery({ ...queries.order(effect.orderId), staleTime: 0 }),
        }
      case 'report':
        await report(effect.orderId, effect.hash)
        return { type: 'reported' }
      case 'show':
        dispatch(effect.event)
        return null
      case 'showFailure':
        showFailure(effect.step, effect.error)
        return null
      case 'adopt':
        cacheOrder(queryClient, effect.order)
        dispatch({ type: 'ordered', orderId: effect.order.id })
        notifyOtherTabs('purchase')
        return null
      case 'cache':
        cacheOrder(queryClient, effect.order)
        return null
      case 'storePending': {
        const { orderId } = effect
        writePendingRequest(userId, orderId === null ? null : { orderId, askedAtMs: Date.now() })
        return null
      }
      case 'storeSent':
        writeSentPayment(userId, {
          orderId: effect.orderId,
          hash: effect.hash,
          sentAtMs: Date.now(),
          isReported: false,
        })
        return null
      case 'abort':
        attempt.controller.abort(new WalletError('stopped', stoppedWaitingMessage))
        return null
      case 'release':
        attempt.release(effect.error)
        return null
    }
  }

  function showFailure(step: ActiveStep, error: unknown): void {
    const walletMessage = error instanceof WalletError ? describeWalletError(error, terms, funds) : null
    const description = describeFailure(step, error, walletMessage)
    const message = walletMessage ?? description
    const technical = error instanceof WalletError ? error.technical : ''
    if (error instanceof ApiError && error.code === 'wallet_not_proved') {
      // The session no longer has a proof of the wallet. Refetch the user, so that a retry proves
      // the wallet again.
      void queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey })
    }
    dispatch({ type: 'failed', message, ...(technical && technical !== message ? { technical } : {}) })
    toast({ title: 'Subscription Failed', description, variant: 'destructive' })
  }

  function pay(): void {
    // Ignore double clicks.
    const isPaying = [...attempts.current].some(({ state }) => state.goal.hash === null)
    if (obstacle === null && !isPaying) sendEvent(startAttempt(null), { type: 'started' })
  }

  async function reportHash(hash: string): Promise<void> {
    // Stop the other attempts: the dialog shows only the result of the report, and a payment that
    // still waits for the wallet would block `pay`.
    stopAttempts()
    const attempt = startAttempt(hash)
    const error = await new Promise<unknown>((resolve) => {
      attempt.release = resolve
      sendEvent(attempt, { type: 'started' })
    })
    if (error !== null) throw error
  }

  function stopAttempts(): void {
    for (const attempt of attempts.current) sendEvent(attempt, { type: 'stopped' })
    attempts.current.clear()
  }

  function stopWaiting(): void {
    stopAttempts()
    dispatch({ type: 'notice', message: stoppedWaitingMessage })
  }

  function orderAgain(): void {
    stopAttempts()
    dispatch({ type: 'opened', planId: order?.planType ?? purchase.planId })
  }

  function stopWatching(): void {
    if (order !== null) dismissOrder(userId, order.id)
    dispatch({ type: 'opened', planId: null })
    void queryClient.invalidateQueries({ queryKey: queries.orders.queryKey })
  }

  async function chooseAnotherPlan(): Promise<void> {
    stopWatching()
    const isUnpaid = order !== null && order.status === 'open' && !order.isPending
    if (!isUnpaid) return
    // If this fails, the order expires by itself.
    const cancelled = await call('cancelOrder', { params: { id: order.id } }).catch(() => null)
    if (cancelled) cacheOrder(queryClient, cancelled)
  }

  return { pay, stopWaiting, reportHash, stopWatching, orderAgain, chooseAnotherPlan }
}

const stoppedWaitingMessage =
  'We stopped waiting for your wallet. Reject the open request there before you try again. If you confirm it instead, the payment counts.'
