import { useQuery } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useEffect, useMemo, useReducer, useRef } from 'react'
import { useUser } from '../../auth.tsx'
import { queries } from '../../queries.ts'
import type { Funds } from '../../wallet/token-payment.ts'
import { isSameAddress, useWallet } from '../../wallet/wallet.tsx'
import { FlowContext } from './flow-context.ts'
import { findCurrent, isPayable, isUnderWay } from './order-standing.ts'
import {
  findObstacle,
  noPurchase,
  type Purchase,
  type PurchaseEvent,
  phaseOf,
  reducePurchase,
  type Terms,
} from './purchase.ts'
import { PurchaseDialog } from './purchase-dialog.tsx'
import type { PurchaseRequest } from './purchase-request.ts'
import { readAside, readSent } from './sent-payments.ts'
import { expectedTerms, termsOf } from './terms.ts'
import { useFollowed } from './use-followed.ts'
import { useFunds } from './use-funds.ts'
import { useOrder } from './use-order.ts'
import { usePayment } from './use-payment.ts'
import { useSubscription } from './use-subscription.ts'

type PurchaseFlowProps = {
  request: PurchaseRequest | null
  isOpen: boolean
  onClose: () => void
  /** Whether the wallet is asked for something right now. */
  onAsking: (isAsking: boolean) => void
}

/**
 * One purchase, from the choice of a plan to the running period. The server's order says where it
 * stands.
 */
export function PurchaseFlow({ request, isOpen, onClose, onAsking }: PurchaseFlowProps) {
  const { id: userId } = useUser()
  const { address } = useWallet()
  const [purchase, dispatch] = useReducer(reducePurchase, noPurchase)
  const order = useOrder(purchase.orderId, isOpen || purchase.doing !== null)
  useTakingUp(request, purchase, order, dispatch)
  const terms = useTerms(purchase, order)
  const funds = useFunds(terms)
  const obstacle = useObstacle(terms, order, funds)
  const followed = useFollowed(order)
  const payment = usePayment({ purchase, order, terms, obstacle, funds, dispatch })

  const status = order?.status
  const lastStatus = useRef(status)
  useEffect(() => {
    if (lastStatus.current !== undefined && status !== lastStatus.current) dispatch({ type: 'moved' })
    lastStatus.current = status
  }, [status])

  const isAsking = purchase.doing !== null
  useEffect(() => onAsking(isAsking), [isAsking, onAsking])

  const sentAtMs = readSent(userId).find(({ orderId }) => orderId === order?.id)?.sentAtMs ?? null
  const isPayer = order === null || isSameAddress(order.payer, address)
  const phase = phaseOf(purchase, order, isPayer ? funds : null)
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
        followed,
        sentAtMs,
        dispatch,
        close: onClose,
      }}
    >
      <PurchaseDialog isOpen={isOpen} />
    </FlowContext>
  )
}

/** A wish to buy shows what is under way instead, wherever that was begun. */
function useTakingUp(
  request: PurchaseRequest | null,
  purchase: Purchase,
  order: Order | null,
  dispatch: (event: PurchaseEvent) => void,
): void {
  const { id: userId } = useUser()
  const { data } = useQuery(queries.orders)
  const current = findCurrent(data?.items ?? [], readAside(userId), Date.now())
  const answered = useRef<PurchaseRequest | null>(null)

  useEffect(() => {
    if (purchase.doing !== null) return
    const isNew = request !== null && request !== answered.current
    answered.current = request
    // What is under way elsewhere goes before what still waits to be paid.
    const isOutdone = current !== null && isUnderWay(current) && (order === null || isPayable(order))
    if (current !== null && current.id !== purchase.orderId && (isNew || order === null || isOutdone)) {
      dispatch({ type: 'taken_up', order: current })
    } else if (isNew && current === null) {
      dispatch({ type: 'opened', planId: request.planId })
    }
  }, [request, current, purchase, order, dispatch])
}

function useTerms({ planId }: Purchase, order: Order | null): Terms | null {
  const { data: config } = useQuery(queries.config)
  return useMemo(() => {
    if (order !== null) return termsOf(order)
    return config && planId !== null ? expectedTerms(config, planId) : null
  }, [order, config, planId])
}

function useObstacle(terms: Terms | null, order: Order | null, funds: Funds | null) {
  const { status, address, chainId, balanceWei, nativeWei, network } = useWallet()
  const { subscription } = useSubscription()
  const { data: config } = useQuery(queries.config)
  if (terms === null) return null
  const shown = network.id === terms.chainId ? { balanceWei, nativeWei, feeWei: null, allowanceWei: 0n } : null
  return findObstacle(terms, {
    isConnected: status === 'connected',
    isPayer: order?.status !== 'underpaid' || isSameAddress(order.payer, address),
    isOnChain: chainId === terms.chainId,
    isReadable: config?.chain.id !== terms.chainId || config.chain.isReadable,
    hasSubscription: subscription !== null && order?.status !== 'underpaid',
    funds: funds ?? shown,
  })
}
