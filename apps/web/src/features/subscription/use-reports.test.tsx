// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { createQueryClient } from '../../api/queries.ts'
import { readSentPayments, writeSentPayment } from './sent-payments.ts'
import { useReportTransaction } from './use-reports.ts'

vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

const { id: orderId } = sampleOrder
const [ownHash, pastedHash] = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`]

function openReports() {
  vi.stubGlobal('fetch', async () => Response.json(sampleOrder))
  const client = createQueryClient()
  const { result } = renderHook(() => useReportTransaction(), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  return result.current
}

test('useReportTransaction: stores the report time of a pasted transaction, even when an earlier payment is stored', async () => {
  const report = openReports()
  const startMs = Date.now()
  await report(orderId, ownHash)
  expect(readSentPayments('u-1')).toEqual([{ orderId, hash: ownHash, sentAtMs: expect.any(Number), isReported: true }])
  expect(readSentPayments('u-1')[0]?.sentAtMs).toBeGreaterThanOrEqual(startMs)

  writeSentPayment('u-1', { orderId, hash: ownHash, sentAtMs: 1, isReported: true })
  await report(orderId, pastedHash)
  expect(readSentPayments('u-1')).toEqual([
    { orderId, hash: pastedHash, sentAtMs: expect.any(Number), isReported: true },
  ])
  expect(readSentPayments('u-1')[0]?.sentAtMs).toBeGreaterThanOrEqual(startMs)
})

test('useReportTransaction: keeps the send time when a transaction sent by this browser is reported', async () => {
  const report = openReports()
  writeSentPayment('u-1', { orderId, hash: ownHash, sentAtMs: 1, isReported: false })
  await report(orderId, ownHash)
  expect(readSentPayments('u-1')).toEqual([{ orderId, hash: ownHash, sentAtMs: 1, isReported: true }])
})
