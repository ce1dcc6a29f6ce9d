import { QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { FlowContext, type PurchaseFlowState } from './flow-context.ts'
import { getPhase, initialPurchase } from './purchase.ts'
import { PurchaseMessage } from './purchase-message.tsx'
import { writePendingRequest } from './sent-payments.ts'
import { createTerms } from './terms.ts'

vi.mock('@tanstack/react-router', () => ({ Link: () => null }))
vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))
vi.mock('../../wallet/wallet.tsx', () => ({ useWallet: () => ({ walletName: null }) }))

afterEach(() => writePendingRequest('u-1', null))

const failed = { tone: 'failed', message: 'Transaction failed', technical: null } as const

test.each([
  ['after the failure', failed],
  ['when the page was loaded again', null],
])(
  'PurchaseMessage: warns against a second payment while the result of a wallet request is unknown, %s',
  (_when, note) => {
    const client = createQueryClient()
    client.setQueryData(queries.orders.queryKey, { items: [sampleOrder], next: null })
    const doNothing = () => {}
    const flow: PurchaseFlowState = {
      ...{
        purchase: { ...initialPurchase, note },
        order: sampleOrder,
        phase: getPhase(initialPurchase, sampleOrder, null),
      },
      ...{ terms: createTerms(sampleOrder), funds: null, obstacle: null, outcome: null, sentAtMs: null },
      ...{
        pay: doNothing,
        stopWaiting: doNothing,
        stopWatching: doNothing,
        orderAgain: doNothing,
        dispatch: doNothing,
        close: doNothing,
      },
      ...{ reportHash: async () => {}, chooseAnotherPlan: async () => {} },
    }
    const renderText = () =>
      renderToStaticMarkup(
        <QueryClientProvider client={client}>
          <FlowContext value={flow}>
            <PurchaseMessage />
          </FlowContext>
        </QueryClientProvider>,
      )
    const warning = 'its result is unknown. Check your wallet first'
    expect(renderText()).not.toContain(warning)
    writePendingRequest('u-1', { orderId: sampleOrder.id, askedAtMs: Date.parse(sampleOrder.createdAt) })
    expect(renderText()).toContain(warning)
  },
)
