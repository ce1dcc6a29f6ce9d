import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getChain } from '@tocsin/protocol'
import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useEffect, useMemo, useState } from 'react'
import { invalidateChain, queries } from '../api/queries.ts'
import { importOrThrow } from '../browser/load-page.ts'
import { useUser } from '../session/auth.tsx'
import { useReauthentication } from '../session/reauthentication.ts'
import { waitUntilIdle } from '../ui/lazy-load.tsx'
import { useNetworkWarning } from './network-warning.ts'
import { useWalletEngineOnInteraction } from './use-wallet-engine.ts'
import { useWalletField, useWalletState } from './use-wallet-state.ts'
import { createWalletActions, type WalletActions } from './wallet-actions.ts'
import type { WalletState } from './wallet-store.ts'

/** Wallet state and actions. Actions throw WalletErrors with a message for the user. */
export type Wallet = WalletState &
  WalletActions & {
    /** The payment chain. */
    network: { id: number; name: string; symbol: string; explorerUrl: string | null }
    isCorrectNetwork: boolean
    /** Whether the connected wallet is proved to this session. */
    isProved: boolean
  }

const loadConnectDialog = async () => (await importOrThrow(() => import('./connect-dialog.tsx'))).ConnectDialog
const ConnectDialog = lazy(async () => ({ default: await loadConnectDialog() }))

const defaultChainId = 1
const WalletContext = createContext<WalletActions | null>(null)

/** Provides the wallet to all signed-in pages. */
export function WalletProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  useWalletEngineOnInteraction()
  const { data: config } = useQuery(queries.config)
  const [isChoosing, setIsChoosing] = useState(false)
  const [hasChosen, setHasChosen] = useState(false)
  const withReauthentication = useReauthentication()
  const openDialog = useCallback(() => {
    setHasChosen(true)
    setIsChoosing(true)
  }, [])
  const actions = useMemo(
    () => createWalletActions(queryClient, withReauthentication, openDialog),
    [queryClient, withReauthentication, openDialog],
  )
  // Preload the dialog, so that it opens immediately. If preloading fails, opening the dialog loads
  // it again.
  useEffect(
    () =>
      void waitUntilIdle()
        .then(loadConnectDialog)
        .catch(() => {}),
    [],
  )
  useChainUpdates()
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

/**
 * Renders the component again after every change of the wallet state. The state changes several
 * times when a page starts, so components that are on every page should use `useWalletField` and
 * `useWalletActions` instead.
 */
export function useWallet(): Wallet {
  const actions = useWalletActions()
  const state = useWalletState()
  const isProved = useIsWalletProved()
  const { data: config } = useQuery(queries.config)
  const { id, name, nativeCurrency, explorerUrl } = getChain(config?.chain.id ?? defaultChainId)
  return {
    ...state,
    ...actions,
    network: { id, name, symbol: nativeCurrency.symbol, explorerUrl },
    isCorrectNetwork: config !== undefined && state.chainId === config.chain.id,
    isProved,
  }
}

export function useWalletActions(): WalletActions {
  const actions = use(WalletContext)
  if (!actions) throw new Error('useWalletActions must be used within a WalletProvider')
  return actions
}

export function useIsWalletProved(): boolean {
  const address = useWalletField('address')
  const { provedWallets } = useUser()
  return provedWallets.some((wallet) => isSameAddress(wallet, address))
}

export function isSameAddress(a: string, b: string | null): boolean {
  return a.toLowerCase() === b?.toLowerCase()
}

/**
 * Refetches the configuration and the payment chain when an admin has changed the chain. The page
 * learns of the change through the stream or the polled status.
 */
function useChainUpdates(): void {
  const queryClient = useQueryClient()
  const { data: config } = useQuery(queries.config)
  const { data: chain } = useQuery(queries.chain)
  const { data: status } = useQuery(queries.status)
  const configId = config?.chain.id
  const streamId = chain && Number(chain.chainId)
  const statusId = status?.chain.id

  useEffect(() => {
    if (configId === undefined) return
    if ([streamId, statusId].some((id) => id !== undefined && id !== configId)) invalidateChain(queryClient)
  }, [queryClient, configId, streamId, statusId])
}
