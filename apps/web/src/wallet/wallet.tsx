import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getChain } from '@tocsin/protocol'
import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useEffect, useMemo, useState } from 'react'
import { useUser } from '../auth.tsx'
import { useConfirmed } from '../confirmation.tsx'
import { untilIdle } from '../lazy-load.tsx'
import { importOrThrow } from '../load-page.ts'
import { queries } from '../queries.ts'
import { useNetworkWarning } from './network-warning.ts'
import { useChainNews } from './use-chain-news.ts'
import { useWalletEngineOnUse } from './use-wallet-engine.ts'
import { useWalletState } from './use-wallet-state.ts'
import { createWalletActions, type WalletActions } from './wallet-actions.ts'
import type { WalletState } from './wallet-store.ts'

/** The wallet and what it can do. Errors are WalletErrors, whose message is a sentence to show. */
export type Wallet = WalletState &
  WalletActions & {
    /** The chain that payments are made on. */
    network: { id: number; name: string; symbol: string; explorerUrl: string | null }
    isCorrectNetwork: boolean
    /** Whether this session may speak for the connected wallet. */
    isProved: boolean
  }

const loadConnectDialog = async () => (await importOrThrow(() => import('./connect-dialog.tsx'))).ConnectDialog
const ConnectDialog = lazy(async () => ({ default: await loadConnectDialog() }))

const defaultChainId = 1
const WalletContext = createContext<WalletActions | null>(null)

/** Follows the browser's wallet on all signed-in pages. */
export function WalletProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  useWalletEngineOnUse()
  const { data: config } = useQuery(queries.config)
  const [isChoosing, setIsChoosing] = useState(false)
  const [hasChosen, setHasChosen] = useState(false)
  const confirmed = useConfirmed()
  const openDialog = useCallback(() => {
    setHasChosen(true)
    setIsChoosing(true)
  }, [])
  const actions = useMemo(
    () => createWalletActions(queryClient, confirmed, openDialog),
    [queryClient, confirmed, openDialog],
  )
  // Fetched beforehand, so that it opens at once. If that fails now it matters only to those who
  // open it.
  useEffect(
    () =>
      void untilIdle()
        .then(loadConnectDialog)
        .catch(() => {}),
    [],
  )
  useChainNews()
  useNetworkWarning(config?.chain)

  return (
    <WalletContext value={actions}>
      {children}
      {hasChosen && (
        <Suspense>
          <ConnectDialog open={isChoosing} onOpenChange={setIsChoosing} connect={actions.connect} />
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
