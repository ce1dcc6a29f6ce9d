// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { afterEach, expect, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { ApiError } from '../../api/api.ts'
import { createQueryClient } from '../../api/queries.ts'
import { initialPurchase } from './purchase.ts'
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
  vi.unstubAllGlobals()
  localStorage.clear()
})

test('usePayment: can send a new wallet request when the server rejects a transaction pasted during an open request', async () => {
  const order = { ...sampleOrder, expiresAt: new Date(Date.now() + HOUR_MS).toISOString() }
  const refusal = { success: false, code: 'transaction_used', message: 'It paid another order.', requestId: 'r' }
  vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
    if (method === 'POST') return Response.json(refusal, { status: 409 })
    return Response.json(url.startsWith('/api/orders?') ? { items: [order], next: null } : order)
  })
  const purchase = { ...initialPurchase, planId: order.planType, orderId: order.id }
  const input = { purchase, order, terms: createTerms(order), obstacle: null, funds: null, dispatch: () => {} }
  const client = createQueryClient()
  const { result } = renderHook(() => usePayment(input), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })

  result.current.pay()
  await expect.poll(() => send.mock.calls.length).toBe(1)
  await expect(result.current.reportHash(`0x${'cd'.repeat(32)}`)).rejects.toBeInstanceOf(ApiError)
  result.current.pay()
  await expect.poll(() => send.mock.calls.length).toBe(2)
})
