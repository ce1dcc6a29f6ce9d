import type { Order } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { FlowContext, type PurchaseFlowState } from './flow-context.ts'
import { getPhase, initialPurchase } from './purchase.ts'
import { PurchaseActions } from './purchase-actions.tsx'
import { createTerms } from './terms.ts'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ children }: { children: ReactNode }) => children,
  useNavigate: () => () => {},
}))
// Test files share loaded modules and their mocks (`isolate: false`), so this mock also needs
// `useUser`: another test file renders `PurchaseMessage`, which calls it.
vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))
vi.mock('../../wallet/wallet.tsx', () => ({ useWallet: () => ({ isProved: true, walletName: null }) }))

/** The labels of the buttons that the dialog shows for an order. */
function listButtons(change: Partial<Order>): string[] {
  const order = { ...sampleOrder, ...change }
  const doNothing = () => {}
  const flow: PurchaseFlowState = {
    ...{ purchase: initialPurchase, order, phase: getPhase(initialPurchase, order, null), terms: createTerms(order) },
    ...{ funds: null, obstacle: null, outcome: null, sentAtMs: null, dispatch: doNothing, close: doNothing },
    ...{ pay: doNothing, stopWaiting: doNothing, stopWatching: doNothing, orderAgain: doNothing },
    ...{ reportHash: async () => {}, chooseAnotherPlan: async () => {} },
  }
  const html = renderToStaticMarkup(
    <FlowContext value={flow}>
      <PurchaseActions />
    </FlowContext>,
  )
  return [...html.matchAll(/<button.*?<\/button>/g)].map(([button]) => button.replace(/<[^>]*>/g, ''))
}

test.each([
  ['while it would be credited', HOUR_MS, ['Send 10 ITO more']],
  ['but not when it would no longer be credited', -HOUR_MS, []],
])('PurchaseActions: offers to send the rest of an underpaid order %s', (_when, leftMs, offers) => {
  const watchedUntil = new Date(Date.now() + leftMs).toISOString()
  expect(listButtons({ status: 'underpaid', watchedUntil })).toEqual([
    ...offers,
    'Choose another plan',
    'I paid: paste the transaction',
  ])
})

test.each(['expired', 'cancelled'] as const)(
  'PurchaseActions: offers to order again when an order is %s, but not when its transaction may be pending',
  (status) => {
    expect(listButtons({ status })).toEqual(['Order again', 'Close', 'I paid: paste the transaction'])
    const transactionHash = `0x${'ab'.repeat(32)}`
    expect(listButtons({ status, transactionHash })).toContain('Order again')
    expect(listButtons({ status, transactionHash, isPending: true })).toEqual([
      'Close',
      'I paid: paste the transaction',
    ])
  },
)
