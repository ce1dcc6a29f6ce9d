import { useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useRef } from 'react'
import { ApiError, call } from '../../api.ts'
import { useUser } from '../../auth.tsx'
import { tellOtherTabs } from '../../other-tabs.ts'
import { queries } from '../../queries.ts'
import { toast } from '../../ui/toast.tsx'
import type { Funds, TokenPayment } from '../../wallet/token-payment.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { isCalm, WalletError } from '../../wallet/wallet-error.ts'
import { walletStore } from '../../wallet/wallet-store.ts'
import { findBegun, findCurrent, isPayable, isUnderWay } from './order-standing.ts'
import { withPaymentLock } from './payment-lock.ts'
import {
  type Doing,
  formatIto,
  needGas,
  type Obstacle,
  type Purchase,
  type PurchaseEvent,
  type Terms,
} from './purchase.ts'
import { describeFailure } from './purchase-failure.ts'
import { putAside, readAside, writeAsked, writeSent } from './sent-payments.ts'
import { isAsShown, termsOf } from './terms.ts'
import { keepOrder } from './use-order.ts'
import { useReports } from './use-reports.ts'

export type PaymentActions = {
  /**
   * Proves the wallet where needed, orders, and pays what the order says; takes up what is under
   * way instead of paying twice.
   */
  pay: () => Promise<void>
  /** Gives up on a wallet that does not answer. A payment that it sends after all still counts. */
  stopWaiting: () => void
  /**
   * Names a transaction that was sent by hand; orders first where nothing was ordered. @throws
   * ApiError, WalletError
   */
  reportByHand: (hash: string) => Promise<void>
  /** Puts an order out of sight that is not confirmed for long. The server keeps watching it. */
  stopWatching: () => void
  /**
   * Begins the same purchase anew. A wallet that was asked for the old one is not waited for any
   * more.
   */
  orderAgain: () => void
  /** Goes back to the choice of a plan; an order that nothing was paid for is given up. */
  chooseAnother: () => Promise<void>
}

type Scene = {
  purchase: Purchase
  order: Order | null
  terms: Terms | null
  obstacle: Obstacle | null
  funds: Funds | null
  dispatch: (event: PurchaseEvent) => void
}

export function usePayment({ purchase, order, terms, obstacle, funds, dispatch }: Scene): PaymentActions {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const wallet = useWallet()
  const report = useReports(dispatch)
  // Only the newest attempt may go on to ask the wallet, or say how it went.
  const attempt = useRef<AbortController | null>(null)
  /** The same wish is the same order, also when its answer was lost. */
  const wish = useRef<{ of: string; key: string } | null>(null)
  /** The step that an error belongs to. */
  const step = useRef<Doing>('ordering')

  function begin(what: Doing): void {
    step.current = what
    dispatch({ type: 'doing', what })
  }

  function tell(error: unknown): void {
    if (error instanceof WalletError && isCalm(error)) {
      dispatch({ type: 'noted', message: error.message })
      return
    }
    const walletWords = error instanceof WalletError ? walletSentence(error, terms, funds) : null
    const description = describeFailure(step.current, error, walletWords)
    const message = walletWords ?? description
    const technical = error instanceof WalletError ? error.technical : ''
    if (error instanceof ApiError && error.code === 'wallet_not_proved') {
      // The proof was for a session that has ended since: the next try asks for it.
      void queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey })
    }
    dispatch({ type: 'failed', message, ...(technical && technical !== message ? { technical } : {}) })
    toast({ title: 'Subscription Failed', description, variant: 'destructive' })
  }

  async function prove(): Promise<void> {
    if (wallet.isProved) return
    begin('proving')
    await wallet.prove()
  }

  /** The order to pay: the one on the screen, one that was begun elsewhere, or a new one. */
  async function takeOrder(payer: string): Promise<Order> {
    const { planId } = purchase
    begin('ordering')
    const { items } = await queryClient.fetchQuery({ ...queries.orders, staleTime: 0 })
    const current = findCurrent(items, readAside(userId), Date.now())
    if (current !== null && isUnderWay(current)) return current
    if (order !== null && isPayable(order) && isOwn(order, payer)) return readAgain(order.id)
    if (planId === null) throw new WalletError('other', 'Choose a plan first.')
    const begun = findBegun(items, { planType: planId, payer, nowMs: Date.now() })
    if (begun) return begun
    const of = `${planId} ${payer}`
    if (wish.current?.of !== of) wish.current = { of, key: crypto.randomUUID() }
    const body = { planType: planId, walletAddress: payer }
    const made = await call('createOrder', { body, idempotencyKey: wish.current.key })
    wish.current = null
    return made
  }

  async function readAgain(id: string): Promise<Order> {
    return queryClient.fetchQuery({ ...queries.order(id), staleTime: 0 })
  }

  function keep(taken: Order): void {
    keepOrder(queryClient, taken)
    dispatch({ type: 'ordered', orderId: taken.id })
    tellOtherTabs('purchase')
  }

  /**
   * The order that the wallet may be asked to pay now; null when there is nothing to ask, and that
   * was said.
   */
  async function prepare(signal: AbortSignal): Promise<Order | null> {
    const payer = wallet.address
    if (payer === null) throw new WalletError('unauthorized', 'Wallet not connected')
    await prove()
    if (signal.aborted) return null
    const taken = await takeOrder(payer)
    keep(taken)
    if (signal.aborted) return null
    if (!isPayable(taken)) {
      // Another tab or device was faster: what is under way is shown, and nothing is asked.
      dispatch({ type: 'sent' })
    } else if (terms !== null && !isAsShown(terms, termsOf(taken))) {
      throw new WalletError('stopped', termsChanged)
    } else if (walletStore.snapshot().address !== payer) {
      throw new WalletError('stopped', otherAccount)
    } else {
      return taken
    }
    return null
  }

  async function askWallet(taken: Order, signal: AbortSignal): Promise<void> {
    const { chainId, token, treasury, spender, path, amountWei } = termsOf(taken)
    const payment = { chainId, token, recipient: spender ?? treasury, payer: taken.payer, amountWei }
    writeAsked(userId, { orderId: taken.id, askedAtMs: Date.now() })
    try {
      if (path === 'approve') {
        await approve(payment, signal)
        keepOrder(queryClient, await readAgain(taken.id))
        if (!signal.aborted) dispatch({ type: 'sent' })
        return
      }
      begin('paying')
      const hash = await wallet.send(payment, path)
      writeAsked(userId, null)
      writeSent(userId, { orderId: taken.id, hash, sentAtMs: Date.now(), isReported: false })
      // Also when nobody waited for it any more.
      begin('reporting')
      await report(taken.id, hash)
    } catch (error) {
      // An answer, be it a no, is the end of the question.
      if (!(error instanceof WalletError && error.kind === 'already_open')) writeAsked(userId, null)
      throw error
    }
  }

  /**
   * Lets the server take exactly this amount, where the wallet does not let it already, and waits
   * until the chain says so.
   */
  async function approve(payment: TokenPayment, signal: AbortSignal): Promise<void> {
    const { allowanceWei } = await wallet.readFunds(payment, 'approve')
    if (allowanceWei < payment.amountWei) {
      begin('approving')
      const hash = await wallet.send(payment, 'approve')
      writeAsked(userId, null)
      if (!signal.aborted) begin('approved')
      // What can't be followed here shows in the allowance.
      const followed = await wallet.followTransaction(payment.chainId, hash, () => {}).catch(() => null)
      if (followed?.result === 'cancelled') throw new WalletError('rejected', approvalCancelled)
      if (followed?.result === 'reverted') throw new WalletError('reverted', approvalFailed)
    }
    writeAsked(userId, null)
    await queryClient.invalidateQueries({ queryKey: ['funds'] })
  }

  async function pay(): Promise<void> {
    // A double click is one wish.
    if (obstacle !== null || attempt.current !== null) return
    const controller = new AbortController()
    attempt.current = controller
    const { signal } = controller
    // Said only when the next try is possible: the lock is free a moment after its work is done.
    let tellOutcome = () => {}
    async function run(): Promise<void> {
      try {
        const ready = await prepare(signal)
        if (ready) await askWallet(ready, signal)
      } catch (error) {
        tellOutcome = () => tell(error)
      }
    }
    const isFree = await withPaymentLock(signal, run)
    if (attempt.current === controller) attempt.current = null
    if (!isFree) dispatch({ type: 'noted', message: otherTab })
    else if (!signal.aborted) tellOutcome()
  }

  function leaveAttempt(): void {
    attempt.current?.abort()
    attempt.current = null
  }

  function stopWaiting(): void {
    leaveAttempt()
    dispatch({ type: 'noted', message: stoppedWaiting })
  }

  function orderAgain(): void {
    leaveAttempt()
    dispatch({ type: 'opened', planId: order?.planType ?? purchase.planId })
  }

  async function reportByHand(hash: string): Promise<void> {
    try {
      if (order !== null) {
        await report(order.id, hash)
        return
      }
      if (wallet.address === null) throw new WalletError('unauthorized', 'Wallet not connected')
      await prove()
      const taken = await takeOrder(wallet.address)
      keep(taken)
      await report(taken.id, hash)
    } catch (error) {
      // The form says it where the transaction was typed.
      dispatch({ type: 'sent' })
      throw error
    }
  }

  function stopWatching(): void {
    if (order !== null) putAside(userId, order.id)
    dispatch({ type: 'opened', planId: null })
    void queryClient.invalidateQueries({ queryKey: queries.orders.queryKey })
  }

  async function chooseAnother(): Promise<void> {
    stopWatching()
    const isUnpaid = order !== null && order.status === 'open' && order.transactionHash === null
    if (!isUnpaid) return
    // Only tidiness: it would expire by itself.
    const cancelled = await call('cancelOrder', { params: { id: order.id } }).catch(() => null)
    if (cancelled) keepOrder(queryClient, cancelled)
  }

  return { pay, stopWaiting, reportByHand, stopWatching, orderAgain, chooseAnother }
}

function isOwn(order: Order, payer: string): boolean {
  return order.payer.toLowerCase() === payer.toLowerCase()
}

/** What the wallet's refusal means for this payment, with its figures. */
function walletSentence(error: WalletError, terms: Terms | null, funds: Funds | null): string {
  if (terms === null) return error.message
  const { feeWei = null, nativeWei = null } = funds ?? {}
  if (error.kind === 'insufficient_gas' && feeWei !== null && nativeWei !== null) {
    return needGas(feeWei, nativeWei, terms.coin)
  }
  if (error.kind === 'unsupported') {
    return `Your wallet can’t do this step. Do it by hand: send exactly ${formatIto(terms.amountWei)} ITO on ${terms.chainName} to the treasury above, then paste the transaction below.`
  }
  return error.message
}

const otherAccount = 'Your wallet changed to another account in the meantime. Nothing was sent.'
const otherTab = 'Another tab of this browser is asking your wallet. Continue there, or stop waiting there first.'
const termsChanged = 'The terms have changed in the meantime: look at them again before you pay. Nothing was sent.'
const approvalCancelled = 'You cancelled the approval in your wallet. Nothing was sent.'
const approvalFailed = 'The network rejected the approval. No ITO left your wallet; only the network fee was spent.'
const stoppedWaiting =
  'We stopped waiting for your wallet. Reject what is still open there before you try again; if you confirm it after all, it counts.'
