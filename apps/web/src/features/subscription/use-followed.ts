import { useQueryClient } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { call } from '../../api.ts'
import { useUser } from '../../auth.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import type { Followed } from './order-words.ts'
import { readSent, writeSent } from './sent-payments.ts'
import { keepOrder } from './use-order.ts'

/**
 * Follows the order's transaction on the chain as far as this page can: it is the first to know
 * that it was sped up or cancelled, and what a failed one has cost. The server decides all the
 * same.
 */
export function useFollowed(order: Order | null): Followed {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const { followTransaction, status } = useWallet()
  const [followed, setFollowed] = useState<Followed>(null)
  const id = order?.id ?? null
  const hash = order?.transactionHash ?? null
  const chainId = order?.chainId ?? null
  const isFollowable = order !== null && ['open', 'seen', 'failed', 'dropped'].includes(order.status)
  const isKnown = followed !== null && followed.hash === hash

  useEffect(() => {
    if (id === null || hash === null || chainId === null || !isFollowable || isKnown || status !== 'connected') return
    let isOver = false

    async function reportReplacement(orderId: string, newHash: string): Promise<void> {
      const sent = readSent(userId).find((payment) => payment.orderId === orderId)
      if (sent) writeSent(userId, { ...sent, hash: newHash, isReported: true })
      const body = { transactionHash: newHash }
      keepOrder(queryClient, await call('reportOrderTransaction', { params: { id: orderId }, body }))
    }

    // What can't be followed here, or fails to be told, the server finds by itself.
    const ignore = () => {}
    followTransaction(chainId, hash, (newHash) => void reportReplacement(id, newHash).catch(ignore))
      .then(({ result, feeWei }) => {
        if (!isOver && result !== 'success') setFollowed({ hash, result, feeWei })
      })
      .catch(ignore)
    return () => {
      isOver = true
    }
  }, [id, hash, chainId, isFollowable, isKnown, status, userId, queryClient, followTransaction])
  return followed
}
