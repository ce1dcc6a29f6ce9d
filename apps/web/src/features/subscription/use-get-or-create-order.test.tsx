import { QueryClientProvider } from '@tanstack/react-query'
import type { Order } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { createQueryClient } from '../../api/queries.ts'
import { useGetOrCreateOrder } from './use-get-or-create-order.ts'

vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))
vi.mock('../../wallet/wallet.tsx', () => ({ isSameAddress: (a: string, b: string | null) => a === b }))

function HookCaller({ onRender }: { onRender(hook: ReturnType<typeof useGetOrCreateOrder>): void }) {
  onRender(useGetOrCreateOrder())
  return null
}

test('useGetOrCreateOrder: returns the order that the server creates when the listed open order has a former treasury', async () => {
  const listedOrder: Order = { ...sampleOrder, expiresAt: new Date(Date.now() + HOUR_MS).toISOString() }
  const createdOrder: Order = { ...listedOrder, id: 'made', treasury: listedOrder.token }
  vi.stubGlobal('fetch', async (_url: string, { method }: RequestInit) =>
    Response.json(method === 'POST' ? createdOrder : { items: [listedOrder], next: null }),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const onRender = vi.fn<(hook: ReturnType<typeof useGetOrCreateOrder>) => void>()
  renderToStaticMarkup(
    <QueryClientProvider client={createQueryClient()}>
      <HookCaller onRender={onRender} />
    </QueryClientProvider>,
  )
  const { payer, planType: planId } = listedOrder
  const goal = { hash: null, order: null, planId, couponCode: null, terms: null, payer, isProved: true }
  expect(await onRender.mock.calls[0]?.[0](goal)).toEqual(createdOrder)
})
