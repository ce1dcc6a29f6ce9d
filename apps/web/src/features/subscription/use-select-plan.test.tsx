// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { renderHook } from '@testing-library/react'
import { getPlan, type PublicConfig } from '@tocsin/protocol'
import { expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { walletStore } from '../../wallet/wallet-store.ts'
import { useSelectPlan } from './use-select-plan.ts'

vi.mock('../../wallet/wallet.tsx', () => ({ useWalletActions: () => ({ refreshBalance: async () => {} }) }))
vi.mock('./use-running-subscription.ts', () => ({ useRunningSubscription: () => null }))

test('useSelectPlan: selects the plan despite an unknown balance only when the wallet is on another network', async () => {
  const client = createQueryClient()
  client.setQueryData(queries.config.queryKey, { chain: { id: 1 } } as PublicConfig)
  walletStore.update({ status: 'connected', chainId: 137, balanceWei: null })
  const onSelected = vi.fn()
  const { result } = renderHook(() => useSelectPlan(onSelected), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  const plan = getPlan('6h')
  await result.current(plan)
  expect(onSelected).toHaveBeenCalledExactlyOnceWith(plan)
  walletStore.update({ chainId: 1 })
  await result.current(plan)
  expect(onSelected).toHaveBeenCalledOnce()
})
