import { QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { FlowContext, type PurchaseFlowState } from './flow-context.ts'
import { getPhase, initialPurchase } from './purchase.ts'
import { RedeemButton } from './redeem-button.tsx'

const { Button, notifyOtherTabs } = vi.hoisted(() => ({
  Button: vi.fn<(props: { onClick(): void }) => null>(() => null),
  notifyOtherTabs: vi.fn<(topic: string) => void>(),
}))
vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))
vi.mock('../../wallet/wallet.tsx', () => ({ useWalletActions: () => ({ refreshBalance: async () => {} }) }))
vi.mock('../../browser/other-tabs.ts', () => ({ notifyOtherTabs }))
vi.mock('../../ui/button.tsx', () => ({ Button }))
vi.mock('../../ui/toast.tsx', () => ({ toast: () => {} }))

test('RedeemButton: refetches the alerts and notifies other tabs when the coupon starts the plan', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ planType: '6h' }))
  onTestFinished(() => void vi.unstubAllGlobals())
  const client = createQueryClient()
  const refetch = vi.spyOn(client, 'refetchQueries').mockResolvedValue()
  const purchase = { ...initialPurchase, planId: '6h' as const, coupon: { couponCode: 'ALL-OF-IT', prices: [] } }
  const doNothing = () => {}
  const flow: PurchaseFlowState = {
    ...{ purchase, order: null, phase: getPhase(purchase, null, null), terms: null },
    ...{ funds: null, obstacle: null, outcome: null, sentAtMs: null, dispatch: doNothing, close: doNothing },
    ...{ pay: doNothing, stopWaiting: doNothing, stopWatching: doNothing, orderAgain: doNothing },
    ...{ reportHash: async () => {}, chooseAnotherPlan: async () => {} },
  }
  renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <FlowContext value={flow}>
        <RedeemButton />
      </FlowContext>
    </QueryClientProvider>,
  )
  Button.mock.calls[0]?.[0].onClick()
  await expect.poll(() => notifyOtherTabs.mock.calls).toEqual([['subscription']])
  const refetched = refetch.mock.calls.map(([filters]) => filters?.queryKey)
  const ofAlerts = [queries.recentAlerts.queryKey, queries.userAlerts('u-1').queryKey]
  expect(refetched).toEqual(expect.arrayContaining(ofAlerts))
})
