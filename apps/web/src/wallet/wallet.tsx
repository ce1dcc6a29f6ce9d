import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getChain } from '@tocsin/protocol'
import { createContext, lazy, type ReactNode, Suspense, use, useEffect, useMemo, useState } from 'react'
import { useUser } from '../auth.tsx'
import { queries } from '../queries.ts'
import { ConnectDialog } from './connect-dialog.tsx'
import { useNetworkWarning } from './network-warning.ts'
import { useWalletState } from './use-wallet-state.ts'
import { createWalletActions, loadEngine, type WalletActions } from './wallet-actions.ts'
import { type WalletState, walletStore } from './wallet-store.ts'

/** The wallet and what it can do. Errors are WalletErrors, whose message is a sentence to show. */
export type Wallet = WalletState &
  WalletActions & {
    /** The chain that payments are made on. */
    network: { id: number; name: string; symbol: string; explorerUrl: string | null }
    isCorrectNetwork: boolean
    /** Whether this session may speak for the connected wallet. */
    isProved: boolean
  }

const defaultChainId = 1
const WalletContext = createContext<WalletActions | null>(null)

const DemoWalletWindow = lazy(() =>
  import('./demo-wallet-window.tsx').then((module) => ({ default: module.DemoWalletWindow })),
)

/** Follows the browser's wallet on all signed-in pages. */
export function WalletProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const { data: config, isError } = useQuery(queries.config)
  const [isChoosing, setIsChoosing] = useState(false)
  const actions = useMemo(() => createWalletActions(queryClient, () => setIsChoosing(true)), [queryClient])
  useNetworkWarning(config?.chain)

  useEffect(() => {
    const giveUp = () => walletStore.update({ status: 'disconnected', hasFailed: true })
    if (config) loadEngine(config).catch(giveUp)
    else if (isError) giveUp()
  }, [config, isError])

  return (
    <WalletContext value={actions}>
      {children}
      <ConnectDialog open={isChoosing} onOpenChange={setIsChoosing} connect={actions.connect} />
      {config?.demo && (
        <Suspense>
          <DemoWalletWindow />
        </Suspense>
      )}
    </WalletContext>
  )
}

export function useWallet(): Wallet {
  const actions = use(WalletContext)
  if (!actions) throw new Error('useWallet must be used within a WalletProvider')
  const state = useWalletState()
  const { provedWallets } = useUser()
  const { data: config } = useQuery(queries.config)
  const { id, name, nativeCurrency, explorerUrl } = getChain(config?.chain.id ?? defaultChainId)
  return {
    ...state,
    ...actions,
    network: { id, name, symbol: nativeCurrency.symbol, explorerUrl },
    isCorrectNetwork: config !== undefined && state.chainId === config.chain.id,
    isProved: provedWallets.some((wallet) => isSameAddress(wallet, state.address)),
  }
}

export function isSameAddress(a: string, b: string | null): boolean {
  return a.toLowerCase() === b?.toLowerCase()
}
