import { QueryClientProvider } from '@tanstack/react-query'
import { type ListedPayment, type PaymentState, paymentStates } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { setAdminRole } from '../../../test/support/admin-user.ts'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { adminQueries } from './admin-queries.ts'
import { PaymentList } from './payment-list.tsx'

vi.mock('../../session/auth.tsx', async () => (await import('../../../test/support/admin-user.ts')).adminAuth)
vi.mock(
  './use-admin-search-params.ts',
  async () => (await import('../../../test/support/admin-user.ts')).adminSearchParams,
)

/** Returns the HTML of a list with one payment in the given state. */
function renderList(state: PaymentState): string {
  const payment: ListedPayment = {
    id: 'p-1',
    state,
    chainId: 1,
    transactionHash: `0x${'ab'.repeat(32)}`,
    payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    tokenAmount: '1',
    at: '2026-11-24T12:00:00.000Z',
    planType: null,
    orderId: null,
    account: null,
    refunds: [],
  }
  const client = createQueryClient()
  const { queryKey } = adminQueries.payments({ search: '', state: undefined, plan: undefined })
  client.setQueryData(queryKey, { pages: [{ items: [payment], nextCursor: null }], pageParams: [''] })
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <ReauthenticationContext value={async () => {}}>
        <PaymentList />
      </ReauthenticationContext>
    </QueryClientProvider>,
  )
}

test('PaymentList: offers to record a refund for each payment that is in a block', () => {
  setAdminRole('owner')
  const states = paymentStates.filter((state) => renderList(state).includes('Record refund…'))
  expect(states).toEqual(paymentStates.filter((state) => state !== 'pending' && state !== 'reverted'))
})

test('PaymentList: offers no refund to a role that may only read payments', () => {
  setAdminRole('auditor')
  expect(renderList('overpaid')).not.toContain('Record refund…')
})
