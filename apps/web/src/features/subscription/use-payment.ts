import { useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useRef } from 'react'
import { ApiError, call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { tellOtherTabs } from '../../browser/other-tabs.ts'
import { useUser } from '../../session/auth.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Funds, TokenPayment } from '../../wallet/token-payment.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { isUserDecision, WalletError } from '../../wallet/wallet-error.ts'
import { walletStore } from '../../wallet/wallet-store.ts'
import { findActiveOrder, findReusableOrder, isInProgress, isPayable } from './order-state.ts'
import { withPaymentLock } from './payment-lock.ts'
import {
  type ActiveStep,
  formatIto,
  needGas,
  type Obstacle,
  type Purchase,
  type PurchaseEvent,
  type Terms,
} from './purchase.ts'
import { describeFailure } from './purchase-failure.ts'
import { dismissOrder, readDismissed, writePendingRequest, writeSent } from './sent-payments.ts'
import { isSameTerms, termsOf } from './terms.ts'
import { cacheOrder } from './use-order.ts'
import { useReports } from './use-reports.ts'

export type PaymentActions = {
  /**
   * Proves the wallet if necessary, creates an order and pays it. If a payment is already in
   * progress, shows that one instead of paying twice.
   */
  pay: () => Promise<void>
  /** Stops waiting for the wallet. A payment that the user confirms later still counts. */
  stopWaiting: () => void
  /**
   * Reports a transaction that was sent outside this page. Creates an order first if the page has
   * no order.
   * @throws ApiError, WalletError
   */
  reportHash: (hash: string) => Promise<void>
  /** Dismisses an order that is not confirmed for long. The server keeps watching it. */
  stopWatching: () => void
  /** Starts a new purchase of the same plan. Stops waiting for the wallet. */
  orderAgain: () => void
  /** Returns to the plan choice and cancels the order if it is unpaid. */
  chooseAnother: () => Promise<void>
}

type PaymentInput = {
  purchase: Purchase
  order: Order | null
  terms: Terms | null
  obstacle: Obstacle | null
  funds: Funds | null
  dispatch: (event: PurchaseEvent) => void
}

export function usePayment({ purchase, order, terms, obstacle, funds, dispatch }: PaymentInput): PaymentActions {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const wallet = useWallet()
  const report = useReports(dispatch)
  // Only the latest attempt may send wallet requests and show its result.
  const attempt = useRef<AbortController | null>(null)
  /** Retrying after a lost response reuses the idempotency key, so it creates no second order. */
  const idempotency = useRef<{ request: string; key: string } | null>(null)
  /** The last step that was started, for error messages. */
  const step = useRef<ActiveStep>('ordering')

  function startStep(next: ActiveStep): void {
    step.current = next
    dispatch({ type: 'step_started', step: next })
  }

  function showError(error: unknown): void {
    if (error instanceof WalletError && isUserDecision(error)) {
      dispatch({ type: 'notice', message: error.message })
      return
    }
    const walletMessage = error instanceof WalletError ? describeWalletError(error, terms, funds) : null
    const description = describeFailure(step.current, error, walletMessage)
    const message = walletMessage ?? description
    const technical = error instanceof WalletError ? error.technical : ''
    if (error instanceof ApiError && error.code === 'wallet_not_proved') {
      // The session of the wallet proof has ended. Refetch the user, so that the retry proves
      // again.
      void queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey })
    }
    dispatch({ type: 'failed', message, ...(technical && technical !== message ? { technical } : {}) })
    toast({ title: 'Subscription Failed', description, variant: 'destructive' })
  }

  async function prove(signal?: AbortSignal): Promise<void> {
    if (wallet.isProved) return
    startStep('proving')
    await wallet.prove(signal)
  }

  /** The order to pay: the displayed one, one from another tab or device, or a new one. */
  async function getOrCreateOrder(payer: string): Promise<Order> {
    const { planId } = purchase
    startStep('ordering')
    const { items } = await queryClient.fetchQuery({ ...queries.orders, staleTime: 0 })
    const active = findActiveOrder(items, readDismissed(userId), Date.now())
    if (active !== null && isInProgress(active)) return active
    if (order !== null && isPayable(order) && isOwn(order, payer)) return refetchOrder(order.id)
    if (planId === null) throw new WalletError('other', 'Choose a plan first.')
    const reusable = findReusableOrder(items, { planType: planId, payer, nowMs: Date.now() })
    if (reusable) return reusable
    const request = `${planId} ${payer}`
    if (idempotency.current?.request !== request) idempotency.current = { request, key: crypto.randomUUID() }
    const body = { planType: planId, walletAddress: payer }
    const created = await call('createOrder', { body, idempotencyKey: idempotency.current.key })
    idempotency.current = null
    return created
  }

  async function refetchOrder(id: string): Promise<Order> {
    return queryClient.fetchQuery({ ...queries.order(id), staleTime: 0 })
  }

  function adoptOrder(adopted: Order): void {
    cacheOrder(queryClient, adopted)
    dispatch({ type: 'ordered', orderId: adopted.id })
    tellOtherTabs('purchase')
  }

  /**
   * The order to pay now. Null if aborted, or if a payment is already in progress, which is shown.
   */
  async function prepare(signal: AbortSignal): Promise<Order | null> {
    const payer = wallet.address
    if (payer === null) throw new WalletError('unauthorized', 'Wallet not connected')
    await prove(signal)
    if (signal.aborted) return null
    const prepared = await getOrCreateOrder(payer)
    adoptOrder(prepared)
    if (signal.aborted) return null
    if (!isPayable(prepared)) {
      // Another tab or device has already paid. Show that payment and send no wallet request.
      dispatch({ type: 'sent' })
    } else if (terms !== null && !isSameTerms(terms, termsOf(prepared))) {
      throw new WalletError('stopped', termsChanged)
    } else if (walletStore.snapshot().address !== payer) {
      throw new WalletError('stopped', otherAccount)
    } else {
      return prepared
    }
    return null
  }

  async function sendWalletRequest(payable: Order, signal: AbortSignal): Promise<void> {
    const { chainId, token, treasury, spender, path, amountWei } = termsOf(payable)
    const payment = { chainId, token, recipient: spender ?? treasury, payer: payable.payer, amountWei }
    writePendingRequest(userId, { orderId: payable.id, askedAtMs: Date.now() })
    try {
      if (path === 'approve') {
        await approve(payment, signal)
        cacheOrder(queryClient, await refetchOrder(payable.id))
        if (!signal.aborted) dispatch({ type: 'sent' })
        return
      }
      startStep('paying')
      const hash = await wallet.send(payment, path, signal)
      writePendingRequest(userId, null)
      writeSent(userId, { orderId: payable.id, hash, sentAtMs: Date.now(), isReported: false })
      // Report the hash even if the user has stopped waiting.
      startStep('reporting')
      await report(payable.id, hash)
    } catch (error) {
      // A rejection answers the request too. "already_open" does not: that request is still open.
      if (!(error instanceof WalletError && error.kind === 'already_open')) writePendingRequest(userId, null)
      throw error
    }
  }

  /** Approves exactly this amount for the server, if needed, and waits for the transaction. */
  async function approve(payment: TokenPayment, signal: AbortSignal): Promise<void> {
    const { allowanceWei } = await wallet.readFunds(payment, 'approve')
    if (allowanceWei < payment.amountWei) {
      startStep('approving')
      const hash = await wallet.send(payment, 'approve', signal)
      writePendingRequest(userId, null)
      if (!signal.aborted) startStep('approved')
      // If the transaction can't be followed, the allowance on the chain shows the result.
      const outcome = await wallet.followTransaction(payment.chainId, hash, () => {}).catch(() => null)
      if (outcome?.result === 'cancelled') throw new WalletError('rejected', approvalCancelled)
      if (outcome?.result === 'reverted') throw new WalletError('reverted', approvalFailed)
    }
    writePendingRequest(userId, null)
    await queryClient.invalidateQueries({ queryKey: ['funds'] })
  }

  async function pay(): Promise<void> {
    // Ignore double clicks.
    if (obstacle !== null || attempt.current !== null) return
    const controller = new AbortController()
    attempt.current = controller
    const { signal } = controller
    // Show the result after the lock is released, so that an immediate retry can acquire it.
    let showOutcome = () => {}
    async function run(): Promise<void> {
      try {
        const ready = await prepare(signal)
        if (ready) await sendWalletRequest(ready, signal)
      } catch (error) {
        showOutcome = () => showError(error)
      }
    }
    const hasLock = await withPaymentLock(signal, run)
    if (attempt.current === controller) attempt.current = null
    if (!hasLock) dispatch({ type: 'notice', message: otherTab })
    else if (!signal.aborted) showOutcome()
  }

  function abortAttempt(): void {
    attempt.current?.abort(new WalletError('stopped', stoppedWaiting))
    attempt.current = null
  }

  function stopWaiting(): void {
    abortAttempt()
    dispatch({ type: 'notice', message: stoppedWaiting })
  }

  function orderAgain(): void {
    abortAttempt()
    dispatch({ type: 'opened', planId: order?.planType ?? purchase.planId })
  }

  async function reportHash(hash: string): Promise<void> {
    try {
      if (order !== null) {
        await report(order.id, hash)
        return
      }
      if (wallet.address === null) throw new WalletError('unauthorized', 'Wallet not connected')
      await prove()
      const prepared = await getOrCreateOrder(wallet.address)
      adoptOrder(prepared)
      await report(prepared.id, hash)
    } catch (error) {
      // The form shows the error beside its input.
      dispatch({ type: 'sent' })
      throw error
    }
  }

  function stopWatching(): void {
    if (order !== null) dismissOrder(userId, order.id)
    dispatch({ type: 'opened', planId: null })
    void queryClient.invalidateQueries({ queryKey: queries.orders.queryKey })
  }

  async function chooseAnother(): Promise<void> {
    stopWatching()
    const isUnpaid = order !== null && order.status === 'open' && order.transactionHash === null
    if (!isUnpaid) return
    // If this fails, the order expires by itself.
    const cancelled = await call('cancelOrder', { params: { id: order.id } }).catch(() => null)
    if (cancelled) cacheOrder(queryClient, cancelled)
  }

  return { pay, stopWaiting, reportHash, stopWatching, orderAgain, chooseAnother }
}

function isOwn(order: Order, payer: string): boolean {
  return order.payer.toLowerCase() === payer.toLowerCase()
}

/** The message for a wallet error, with the amounts of this payment where they help. */
function describeWalletError(error: WalletError, terms: Terms | null, funds: Funds | null): string {
  if (terms === null) return error.message
  const { feeWei = null, nativeWei = null } = funds ?? {}
  if (error.kind === 'insufficient_gas' && feeWei !== null && nativeWei !== null) {
    return needGas(feeWei, nativeWei, terms.coin)
  }
  if (error.kind === 'unsupported') {
    return `Your wallet does not support this step. Send exactly ${formatIto(terms.amountWei)} ITO on ${terms.chainName} to the treasury above yourself, then paste the transaction below.`
  }
  return error.message
}

const otherAccount = 'Your wallet changed to another account in the meantime. Nothing was sent.'
const otherTab = 'Another tab of this browser is asking your wallet. Continue there, or stop waiting there first.'
const termsChanged = 'The terms changed in the meantime. Review them before you pay. Nothing was sent.'
const approvalCancelled = 'You cancelled the approval in your wallet. Nothing was sent.'
const approvalFailed = 'The network rejected the approval. No ITO left your wallet; only the network fee was spent.'
const stoppedWaiting =
  'We stopped waiting for your wallet. Reject the open request there before you try again. If you confirm it instead, the payment counts.'
