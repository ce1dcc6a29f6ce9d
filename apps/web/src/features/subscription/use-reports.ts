import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { call } from '../../api.ts'
import { useUser } from '../../auth.tsx'
import { tellOtherTabs } from '../../other-tabs.ts'
import type { PurchaseEvent } from './purchase.ts'
import { reportTransaction } from './report-transaction.ts'
import { readSent, writeSent } from './sent-payments.ts'
import { keepOrder } from './use-order.ts'

/** Tells the server of transactions, also of those that an earlier page could not tell. */
export function useReports(dispatch: (event: PurchaseEvent) => void): (orderId: string, hash: string) => Promise<void> {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const life = useRef(new AbortController())

  const report = useCallback(
    async (orderId: string, hash: string) => {
      const { signal } = life.current
      const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
      const post = (id: string, transactionHash: string) =>
        call('reportOrderTransaction', { params: { id }, body: { transactionHash } })
      const order = await reportTransaction(orderId, hash, { post, wait, signal })
      if (order === null) return
      const sent = readSent(userId).find((payment) => payment.orderId === orderId)
      if (sent) writeSent(userId, { ...sent, isReported: true })
      keepOrder(queryClient, order)
      tellOtherTabs('purchase')
      dispatch({ type: 'sent' })
    },
    [userId, queryClient, dispatch],
  )

  useEffect(() => {
    const controller = new AbortController()
    life.current = controller
    const untold = readSent(userId).filter(({ isReported }) => !isReported)
    // What the server refuses it has said why; the order shows it.
    for (const { orderId, hash } of untold) report(orderId, hash).catch(() => {})
    return () => controller.abort()
  }, [userId, report])
  return report
}
