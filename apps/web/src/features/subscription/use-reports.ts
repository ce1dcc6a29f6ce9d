import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { ApiError, call } from '../../api/api.ts'
import { notifyOtherTabs } from '../../browser/other-tabs.ts'
import { useUser } from '../../session/auth.tsx'
import { reportTransaction } from './report-transaction.ts'
import { readSentPayments, writeSentPayment } from './sent-payments.ts'
import { cacheOrder } from './use-order.ts'

/**
 * Returns a function that reports a transaction to the server. On mount, also reports the stored
 * transactions that an earlier page could not report.
 */
export function useReportTransaction(): (orderId: string, hash: string) => Promise<void> {
  const { id: userId } = useUser()
  const queryClient = useQueryClient()
  const lifetimeController = useRef(new AbortController())

  const report = useCallback(
    async (orderId: string, hash: string) => {
      const { signal } = lifetimeController.current
      const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
      const post = (id: string, transactionHash: string) =>
        call('reportOrderTransaction', { params: { id }, body: { transactionHash } })
      const order = await reportTransaction(orderId, hash, { sendReport: post, wait, signal })
      if (order === null) return
      const sentPayment = readSentPayments(userId).find((payment) => payment.orderId === orderId)
      // This browser did not send a pasted transaction, so its time is that of the report.
      const sentAtMs = sentPayment?.hash === hash ? sentPayment.sentAtMs : Date.now()
      writeSentPayment(userId, { orderId, hash, sentAtMs, isReported: true })
      cacheOrder(queryClient, order)
      notifyOtherTabs('purchase')
    },
    [userId, queryClient],
  )

  useEffect(() => {
    const controller = new AbortController()
    lifetimeController.current = controller
    const unreportedPayments = readSentPayments(userId).filter(({ isReported }) => !isReported)
    for (const payment of unreportedPayments) {
      report(payment.orderId, payment.hash).catch((error: unknown) => {
        // A rejected hash is not reported again: the order shows the reason.
        const hasSessionEnded = error instanceof ApiError && error.status === 401
        if (!hasSessionEnded) writeSentPayment(userId, { ...payment, isReported: true })
      })
    }
    return () => controller.abort()
  }, [userId, report])
  return report
}
