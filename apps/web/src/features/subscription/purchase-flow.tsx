import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import type { Funds } from '../../wallet/token-payment.ts'
import { isSameAddress, useWallet } from '../../wallet/wallet.tsx'
import { FlowContext } from './flow-context.ts'
import type { TransactionOutcome } from './order-messages.ts'
import { findActiveOrder, isInProgress, isPayable } from './order-state.ts'
import {
  findPaymentBlocker,
  getCouponPrice,
  getPhase,
  initialPurchase,
  type Purchase,
  type PurchaseEvent,
  type PurchaseTerms,
  reducePurchase,
} from './purchase.ts'
import { PurchaseDialog } from './purchase-dialog.tsx'
import type { PurchaseRequest } from './purchase-request.ts'
import { readDismissedIds, readSentPayments, writeSentPayment } from './sent-payments.ts'
import { createExpectedTerms, createTerms } from './terms.ts'
import { cacheOrder, useOrder } from './use-order.ts'
import { usePayment } from './use-payment.ts'
import { useRunningSubscription } from './use-running-subscription.ts'
import { useSentAtMs } from './use-slow-confirmation.ts'

type PurchaseFlowProps = {
  request: PurchaseRequest | null
  isOpen: boolean
  onClose: () => void
  /** Called with true while this page waits for the wallet or the server. */
  onBusyChange: (isBusy: boolean) => void
}

/**
 * One purchase, from the plan choice to the active period. Its state follows the server's order.
 */
export function PurchaseFlow({ request, isOpen, onClose, onBusyChange }: PurchaseFlowProps) {
  const { address } = useWallet()
  const [purchase, dispatch] = useReducer(reducePurchase, initialPurchase)
  const order = useOrder(purchase.orderId, isOpen || purchase.activeStep !== null)
  useResumePurchase(request, purchase, order, dispatch)
  const terms = useTerms(purchase, order)
  const funds = useFunds(terms)
  const obstacle = useObstacle(terms, order, funds)
  const outcome = useTransactionOutcome(order)
  const payment = usePayment({ purchase, order, terms, obstacle, funds, dispatch })

  const status = order?.status
  const lastStatus = useRef(status)
  useEffect(() => {
    if (lastStatus.current !== undefined && status !== lastStatus.current) dispatch({ type: 'order_changed' })
    lastStatus.current = status
  }, [status])

  const isBusy = purchase.activeStep !== null
  useEffect(() => onBusyChange(isBusy), [isBusy, onBusyChange])

  const isPayer = order === null || isSameAddress(order.payer, address)
  const phase = getPhase(purchase, order, isPayer ? funds : null)
  const sentAtMs = useSentAtMs(order, phase)
  return (
    <FlowContext
      value={{
        ...payment,
        purchase,
        order,
        phase,
        terms,
        funds,
        obstacle,
        outcome,
        sentAtMs,
        dispatch,
        close: onClose,
      }}
    >
      <PurchaseDialog isOpen={isOpen} />
    </FlowContext>
  )
}

/**
 * Starts the requested purchase, or resumes the active order instead, which may have been started
 * in another tab or on another device.
 */
function useResumePurchase(
  request: PurchaseRequest | null,
  purchase: Purchase,
  order: Order | null,
  dispatch: (event: PurchaseEvent) => void,
): void {
  const { id: userId } = useUser()
  const { data } = useQuery(queries.orders)
  const activeOrder = findActiveOrder(data?.items ?? [], readDismissedIds(userId), Date.now())
  const handledRequest = useRef<PurchaseRequest | null>(null)

  useEffect(() => {
    if (purchase.activeStep !== null) return
    const isNew = request !== null && request !== handledRequest.current
    handledRequest.current = request
    // A payment in progress takes precedence over an unpaid order.
    const isSuperseded = activeOrder !== null && isInProgress(activeOrder) && (order === null || isPayable(order))
    if (activeOrder !== null && activeOrder.id !== purchase.orderId && (isNew || order === null || isSuperseded)) {
      dispatch({ type: 'resumed', order: activeOrder })
    } else if (isNew && activeOrder === null) {
      dispatch({ type: 'opened', planId: request.planId })
    }
  }, [request, activeOrder, purchase, order, dispatch])
}

function useTerms({ planId, coupon }: Purchase, order: Order | null): PurchaseTerms | null {
  const { data: config } = useQuery(queries.config)
  return useMemo(() => {
    if (order !== null) return createTerms(order)
    return config && planId !== null ? createExpectedTerms(config, planId, getCouponPrice({ coupon }, planId)) : null
  }, [order, config, planId, coupon])
}

function useObstacle(terms: PurchaseTerms | null, order: Order | null, funds: Funds | null) {
  const { status, address, chainId, balanceWei, nativeWei, network } = useWallet()
  const subscription = useRunningSubscription()
  const { data: config } = useQuery(queries.config)
  if (terms === null) return null
  const knownFunds = network.id === terms.chainId ? { balanceWei, nativeWei, feeWei: null, allowanceWei: 0n } : null
  return findPaymentBlocker(terms, {
    isConnected: status === 'connected',
    isPayer: order?.status !== 'underpaid' || isSameAddress(order.payer, address),
    isOnChain: chainId === terms.chainId,
    isReadable: config?.chain.id !== terms.chainId || config.chain.isReadable,
    hasSubscription: subscription !== null && order?.status !== 'underpaid',
    funds: funds ?? knownFunds,
  })
}

const pollMs = 10_000
/** Interval between reads of the funds while the balance is too low. */
const shortPollMs = 5_000

/**
 * Balances, allowance and estimated fee of the connected wallet on the payment's chain; null while
 * unknown.
 */
function useFunds(terms: PurchaseTerms | null): Funds | null {
  const { readFunds, address, chainId, status } = useWallet()
  const { data } = useQuery({
    queryKey: ['funds', address, chainId, terms && { ...terms, amountWei: terms.amountWei.toString() }],
    queryFn: async () => {
      if (terms === null || address === null) return null
      const { token, amountWei, path } = terms
      const recipient = terms.spender ?? terms.treasury
      return readFunds({ chainId: terms.chainId, token, recipient, payer: address, amountWei }, path)
    },
    enabled: terms !== null && address !== null && status === 'connected' && chainId === terms.chainId,
    // Read the funds more often while the balance is too low, because users top up their wallet
    // while the dialog is open.
    refetchInterval: ({ state }) =>
      terms !== null && (state.data?.balanceWei ?? terms.amountWei) < terms.amountWei ? shortPollMs : pollMs,
    refetchOnWindowFocus: 'always',
    staleTime: pollMs,
  })
  return data ?? null
}

/**
 * Follows the order's transaction through the wallet's RPC node. This way the page learns earlier
 * than the server that the transaction was replaced or cancelled, and learns the fee of a reverted
 * transaction. The server's order remains authoritative.
 */
function useTransactionOutcome(order: Order | null): TransactionOutcome {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const { followTransaction, status } = useWallet()
  const [outcome, setOutcome] = useState<TransactionOutcome>(null)
  const id = order?.id ?? null
  const hash = order?.transactionHash ?? null
  const chainId = order?.chainId ?? null
  const isFollowable = order !== null && ['open', 'seen', 'failed', 'dropped'].includes(order.status)
  const isKnownOutcome = outcome !== null && outcome.hash === hash

  useEffect(() => {
    if (id === null || hash === null || chainId === null || !isFollowable || isKnownOutcome || status !== 'connected')
      return
    let isStale = false

    async function reportReplacement(orderId: string, newHash: string): Promise<void> {
      const sentPayment = readSentPayments(userId).find((payment) => payment.orderId === orderId)
      if (sentPayment) writeSentPayment(userId, { ...sentPayment, hash: newHash, isReported: true })
      const body = { transactionHash: newHash }
      cacheOrder(queryClient, await call('reportOrderTransaction', { params: { id: orderId }, body }))
    }

    // Errors are safe to ignore: the server's watcher finds the payment by itself.
    const ignore = () => {}
    followTransaction(chainId, hash, (newHash) => void reportReplacement(id, newHash).catch(ignore))
      .then(({ result, feeWei }) => {
        if (!isStale && result !== 'success') setOutcome({ hash, result, feeWei })
      })
      .catch(ignore)
    return () => {
      isStale = true
    }
  }, [id, hash, chainId, isFollowable, isKnownOutcome, status, userId, queryClient, followTransaction])
  return outcome
}
