import { useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { isSameAddress } from '../../wallet/wallet.tsx'
import { WalletError } from '../../wallet/wallet-error.ts'
import { findActiveOrder, isInProgress, isPayable } from './order-state.ts'
import type { PaymentIntent } from './payment-machine.ts'
import { readDismissedIds } from './sent-payments.ts'

/**
 * Returns a function that returns the order to pay: an order in progress, for example in another
 * tab or on another device; otherwise the displayed order; otherwise the one that the server
 * returns. Only the server knows whether an open order is still valid: it returns that order again,
 * or creates a new one.
 */
export function useGetOrCreateOrder(): (goal: PaymentIntent) => Promise<Order> {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()

  return async ({ order, planId, couponCode, payer }) => {
    if (payer === null) throw new WalletError('unauthorized', 'Wallet not connected')
    const { items } = await queryClient.fetchQuery({ ...queries.orders, staleTime: 0 })
    const activeOrder = findActiveOrder(items, readDismissedIds(userId), Date.now())
    if (activeOrder !== null && isInProgress(activeOrder)) return activeOrder
    if (order !== null && isPayable(order) && isSameAddress(order.payer, payer)) {
      return queryClient.fetchQuery({ ...queries.order(order.id), staleTime: 0 })
    }
    if (planId === null) throw new WalletError('other', 'Choose a plan first.')
    const body = { planType: planId, walletAddress: payer, ...(couponCode === null ? {} : { couponCode }) }
    return call('createOrder', { body })
  }
}
