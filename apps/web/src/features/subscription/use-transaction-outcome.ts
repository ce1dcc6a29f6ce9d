import { useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { call } from '../../api/api.ts'
import { useUser } from '../../session/auth.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import type { TransactionOutcome } from './order-messages.ts'
import { readSent, writeSent } from './sent-payments.ts'
import { cacheOrder } from './use-order.ts'

/**
 * Follows the order's transaction through the wallet's RPC. The page learns earlier than the server
 * that it was replaced or cancelled, and what fee a reverted one cost. The server's order remains
 * authoritative.
 */
export function useTransactionOutcome(order: Order | null): TransactionOutcome {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const { followTransaction, status } = useWallet()
  const [outcome, setOutcome] = useState<TransactionOutcome>(null)
  const id = order?.id ?? null
  const hash = order?.transactionHash ?? null
  const chainId = order?.chainId ?? null
  const isFollowable = order !== null && ['open', 'seen', 'failed', 'dropped'].includes(order.status)
  const isKnown = outcome !== null && outcome.hash === hash

  useEffect(() => {
    if (id === null || hash === null || chainId === null || !isFollowable || isKnown || status !== 'connected') return
    let isStale = false

    async function reportReplacement(orderId: string, newHash: string): Promise<void> {
      const sent = readSent(userId).find((payment) => payment.orderId === orderId)
      if (sent) writeSent(userId, { ...sent, hash: newHash, isReported: true })
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
  }, [id, hash, chainId, isFollowable, isKnown, status, userId, queryClient, followTransaction])
  return outcome
}
