import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import type { Alert } from '@tocsin/protocol'
import { Suspense, useCallback } from 'react'
import { AppShell } from '../../app-shell.tsx'
import { useAuth, useUser } from '../../auth.tsx'
import { Guard } from '../../guard.tsx'
import { lazyLoad, untilIdle } from '../../lazy-load.tsx'
import { paths } from '../../paths.ts'
import { usePreferences } from '../../preferences.ts'
import { queries } from '../../queries.ts'
import { LogStatus, WalletStatus, Welcome } from '../../shell/status.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useToastPlace } from '../../ui/use-toast-place.ts'
import { useAlertStream } from '../../use-alert-stream.ts'
import { useAppearance } from '../../use-appearance.ts'
import { useWallet, WalletProvider } from '../../wallet/wallet.tsx'
import { useFreshAlerts } from '../alerts/use-fresh-alerts.ts'
import { useUnread } from '../alerts/use-unread.ts'
import { announcements } from '../live/announcements.ts'
import { LiveRegions } from '../live/live-regions.tsx'
import { PurchaseProvider } from '../subscription/purchase-provider.tsx'
import { useSubscription } from '../subscription/use-subscription.ts'
import { BalanceSlot, StreamSlot, SubscribeSlot, WalletSlot } from './header-slots.tsx'
import { PulseStrip } from './pulse-strip.tsx'
import { WalletStrip } from './wallet-strip.tsx'

/** Tells of what the stream brings: fetched when the frame stands. */
const LiveAttention = lazyLoad(async () => {
  await untilIdle()
  return (await import('../live/live-attention.tsx')).LiveAttention
})
const ShellTools = lazyLoad(async () => {
  await untilIdle()
  return (await import('../live/shell-tools.tsx')).ShellTools
})

const pulsePaths: readonly string[] = [paths.dashboard, paths.notifications]

/**
 * Everything around a signed-in page: the wallet, the purchase, the live stream, and the frame that
 * shows them.
 */
export function SignedInLayout() {
  return (
    <Guard>
      <WalletProvider>
        <PurchaseProvider>
          <LiveShell />
          <LiveRegions />
          <Suspense>
            <LiveAttention />
          </Suspense>
        </PurchaseProvider>
      </WalletProvider>
    </Guard>
  )
}

function LiveShell() {
  const { name } = useUser()
  const { signOut } = useAuth()
  const { address, disconnect, status } = useWallet()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  useToastPlace(pathname)
  const unread = useUnread()
  useFreshAlerts()
  const { data: head } = useQuery(queries.logHead)
  useStream()

  const logOut = () => signOut({ leave: () => navigate({ to: paths.home }) })

  // Without a wallet the dashboard is one button. A wallet that is being restored has its strip
  // already: nothing moves when it is there.
  const hasPulse = pulsePaths.includes(pathname) && (status === 'connected' || status === 'reconnecting')
  return (
    <AppShell
      unread={unread}
      live={<StreamSlot />}
      tools={
        <Suspense>
          <ShellTools />
        </Suspense>
      }
      wallet={<WalletSlot />}
      balance={<BalanceSlot />}
      subscribe={<SubscribeSlot />}
      welcome={<Welcome name={name} onLogout={() => void logOut()} />}
      pulse={hasPulse ? <PulseStrip /> : undefined}
      logStatus={head ? <LogStatus entries={head.size} anchor={head.anchored} /> : <Skeleton className="h-10 w-40" />}
      walletStatus={
        status === 'reconnecting' ? (
          <Skeleton className="h-9 w-32" />
        ) : (
          <WalletStatus address={address} onDisconnect={() => void disconnect()} />
        )
      }
    >
      <WalletStrip />
      <Outlet />
    </AppShell>
  )
}

/**
 * The stream is open while the session may speak for the wallet, has something to hear, and wants
 * to hear it.
 */
function useStream(): void {
  const { id, isAdmin } = useUser()
  const { address, isProved } = useWallet()
  const { subscription } = useSubscription()
  const { preferences, isSettled } = usePreferences()
  const mayListen = isSettled && preferences.realTimeAlerts && isProved && (isAdmin || subscription !== null)
  const announce = useCallback((alert: Alert) => announcements.push({ kind: 'alert', alert }), [])
  const caughtUp = useCallback((count: number) => announcements.push({ kind: 'caught_up', count }), [])
  useAppearance(preferences)
  useAlertStream({ userId: id, walletAddress: mayListen ? address : null, announce, caughtUp })
}
