// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { createQueryClient } from '../../api/queries.ts'
import { FlowContext, type PurchaseFlowState } from './flow-context.ts'
import { initialPurchase, type Purchase } from './purchase.ts'
import { PurchaseDialog } from './purchase-dialog.tsx'
import { createTerms } from './terms.ts'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ children }: { children: ReactNode }) => children,
  useNavigate: () => () => {},
}))
vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))
vi.mock('../../wallet/wallet.tsx', () => ({
  useWallet: () => ({
    isProved: false,
    walletName: null,
    network: { id: 1 },
    balanceWei: null,
    status: 'disconnected',
  }),
  useWalletActions: () => ({ refreshBalance: async () => {} }),
}))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Returns the text of the dialog for a 6-hour plan with a coupon, before an order exists. */
function readDialog(amountWei: bigint): string {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const price = { planType: '6h', priceWei: String(amountWei) } as const
  const purchase = { ...initialPurchase, planId: '6h', coupon: { couponCode: 'TRIAL-26', prices: [price] } } as Purchase
  const doNothing = () => {}
  const flow: PurchaseFlowState = {
    ...{ purchase, order: null, phase: 'confirm', terms: { ...createTerms(sampleOrder), amountWei } },
    ...{ funds: null, obstacle: null, outcome: null, sentAtMs: null, dispatch: doNothing, close: doNothing },
    ...{ pay: doNothing, stopWaiting: doNothing, stopWatching: doNothing, orderAgain: doNothing },
    ...{ reportHash: async () => {}, chooseAnotherPlan: async () => {} },
  }
  render(
    <QueryClientProvider client={createQueryClient()}>
      <FlowContext value={flow}>
        <PurchaseDialog isOpen />
      </FlowContext>
    </QueryClientProvider>,
  )
  return screen.getByRole('dialog').textContent ?? ''
}

const ofPayment = ['Network fee', 'Treasury', 'Confirm in wallet', 'One transfer of exactly', 'I paid']

test('PurchaseDialog: describes the payment when a coupon pays only a part of the price', () => {
  const text = readDialog(1n)
  for (const words of ofPayment) expect(text).toContain(words)
})

test('PurchaseDialog: asks for no wallet and no payment when a coupon pays the whole price', () => {
  const text = readDialog(0n)
  for (const words of ofPayment) expect(text).not.toContain(words)
  expect(text).toContain('You do not need a wallet, and no transaction is sent.')
  expect(text).toContain('Start plan with coupon')
})
