// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { useReducer } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { ApiError } from '../../api/api.ts'
import { createQueryClient } from '../../api/queries.ts'
import { initialPurchase, reducePurchase } from './purchase.ts'
import { readSentPayments, writeSentPayment } from './sent-payments.ts'
import { createTerms } from './terms.ts'
import { usePayment } from './use-payment.ts'

/** Sends a wallet request to which the wallet never responds. */
const { send } = vi.hoisted(() => ({ send: vi.fn(() => new Promise<string>(() => {})) }))
vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))
vi.mock('../../wallet/wallet.tsx', () => ({
  useWallet: () => ({ address: sampleOrder.payer, isProved: true, send }),
  isSameAddress: (a: string, b: string | null) => a === b,
}))
vi.mock('../../wallet/wallet-store.ts', () => ({
  walletStore: { snapshot: () => ({ address: sampleOrder.payer }) },
}))
// happy-dom has no Web Locks.
vi.mock('./payment-lock.ts', () => ({
  withPaymentLock: async (_: AbortSignal, run: () => Promise<void>) => run().then(() => true),
}))

afterEach(() => {
  cleanup()
  send.mockClear()
  vi.unstubAllGlobals()
  localStorage.clear()
})

const order = { ...sampleOrder, expiresAt: new Date(Date.now() + HOUR_MS).toISOString() }

function usePurchase() {
  const initialState = { ...initialPurchase, planId: order.planType, orderId: order.id }
  const [purchase, dispatch] = useReducer(reducePurchase, initialState)
  const terms = createTerms(order)
  return { purchase, ...usePayment({ purchase, order, terms, obstacle: null, funds: null, dispatch }) }
}

/** Opens the purchase of the order. `answerReport` answers the report of a transaction. */
function openPayment(answerReport: () => Response | Promise<Response>) {
  vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
    if (method === 'POST') return answerReport()
    return Response.json(url.startsWith('/api/orders?') ? { items: [order], next: null } : order)
  })
  const client = createQueryClient()
  const { result } = renderHook(usePurchase, {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  return { result, readStep: () => act(async () => result.current.purchase.activeStep) }
}

test('usePayment: can send a new wallet request when the server rejects a transaction pasted during an open request', async () => {
  const refusal = { success: false, code: 'transaction_used', message: 'It paid another order.', requestId: 'r' }
  const { result, readStep } = openPayment(() => Response.json(refusal, { status: 409 }))
  act(() => result.current.pay())
  await expect.poll(readStep).toBe('paying')
  await act(async () => {
    await expect(result.current.reportHash(`0x${'cd'.repeat(32)}`)).rejects.toBeInstanceOf(ApiError)
  })
  act(() => result.current.pay())
  await expect.poll(readStep).toBe('paying')
  expect(send).toHaveBeenCalledTimes(2)
})

test('usePayment: keeps waiting for the wallet when an earlier payment is reported during an open request', async () => {
  const earlierPayment = { orderId: 'o-0', hash: `0x${'ab'.repeat(32)}`, sentAtMs: 1, isReported: false }
  writeSentPayment('u-1', earlierPayment)
  const reportResolvers: ((response: Response) => void)[] = []
  const { result, readStep } = openPayment(() => new Promise((resolve) => reportResolvers.push(resolve)))
  act(() => result.current.pay())
  await expect.poll(readStep).toBe('paying')
  reportResolvers[0]?.(Response.json({ ...order, id: 'o-0', isPending: true }))
  await expect.poll(() => readSentPayments('u-1')).toEqual([{ ...earlierPayment, isReported: true }])
  expect(await readStep()).toBe('paying')
})
