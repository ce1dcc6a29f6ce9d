// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { WalletProvider } from '../../wallet/wallet.tsx'
import { PurchaseProvider } from './purchase-provider.tsx'
import { readSentPayments, writeSentPayment } from './sent-payments.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

test('PurchaseProvider: reports a sent payment when an earlier page could not, without opening the dialog', async () => {
  const payment = { orderId: sampleOrder.id, hash: `0x${'ab'.repeat(32)}`, sentAtMs: 1, isReported: false }
  writeSentPayment('u-1', payment)
  vi.stubGlobal('fetch', async (_url: string, { method }: RequestInit) =>
    method === 'POST' ? Response.json({ ...sampleOrder, isPending: true }) : new Response('', { status: 503 }),
  )
  const client = createQueryClient()
  const user = { id: 'u-1', permissions: [], provedWallets: [] }
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user })
  client.setQueryData(queries.orders.queryKey, { items: [sampleOrder], next: null })
  const rootRoute = createRootRoute({
    component: () => (
      <WalletProvider>
        <PurchaseProvider>{null}</PurchaseProvider>
      </WalletProvider>
    ),
  })
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <ReauthenticationContext value={async () => {}}>
          <RouterProvider router={router} />
        </ReauthenticationContext>
      </AuthProvider>
    </QueryClientProvider>,
  )
  await expect.poll(() => readSentPayments('u-1')).toEqual([{ ...payment, isReported: true }])
  expect(document.querySelector('[role=dialog]')).toBeNull()
})
