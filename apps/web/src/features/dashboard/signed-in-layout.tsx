import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { queries } from '../../api/queries.ts'
import { useOpenedOffline } from '../../browser/use-online.ts'
import { paths } from '../../paths.ts'
import { useAuth, useUser } from '../../session/auth.tsx'
import { usePreferences } from '../../session/preferences.ts'
import { writeTimeHint } from '../../session/signed-in-hint.ts'
import { useAppearance } from '../../session/use-appearance.ts'
import { AppShell, PulseFrame } from '../../shell/app-shell.tsx'
import { LogStatus, WalletStatus, Welcome } from '../../shell/status.tsx'
import { useAlertStream } from '../../stream/use-alert-stream.ts'
import { lazyLoad, waitUntilIdle } from '../../ui/lazy-load.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useDismissToastsOnNavigation } from '../../ui/use-dismiss-toasts-on-navigation.ts'
import { useHasWallet, useWalletField } from '../../wallet/use-wallet-state.ts'
import { useIsWalletProved, useWalletActions, WalletProvider } from '../../wallet/wallet.tsx'
import { Guard } from '../account/guard.tsx'
import { useSyncedUnreadCount } from '../alerts/use-synced-unread-count.ts'
import { announcements } from '../live/announcements.ts'
import { LiveRegions } from '../live/live-regions.tsx'
import { PurchaseProvider } from '../subscription/purchase-provider.tsx'
import { useIsEntitled } from '../subscription/use-subscription.ts'
import { DashboardHeading } from './dashboard-heading.tsx'
import { BalanceSlot, StreamSlot, SubscribeSlot, WalletSlot } from './header-slots.tsx'
import { WalletStrip } from './wallet-strip.tsx'

/**
 * Announces new alerts, and refetches them while no stream is live. Loaded when the browser is
 * idle.
 */
const LiveOverlays = lazyLoad(async () => {
  await waitUntilIdle()
  return (await import('../live/live-overlays.tsx')).LiveOverlays
})
const PulseStrip = lazyLoad(async () => (await import('./pulse-strip.tsx')).PulseStrip)
const ShellActions = lazyLoad(async () => {
  await waitUntilIdle()
  return (await import('../live/shell-tools.tsx')).ShellActions
})

/**
 * Stores alerts for offline use. Renders nothing without a service worker, because pages then do
 * not open offline.
 */
const OfflineAlertCache = lazyLoad(async () => {
  if (!('serviceWorker' in navigator)) return () => null
  await navigator.serviceWorker.ready
  await waitUntilIdle()
  return (await import('../offline/offline-alert-cache.tsx')).OfflineAlertCache
})
const PushDeviceSync = lazyLoad(async () => {
  await waitUntilIdle()
  return (await import('../channels/push-device-sync.tsx')).PushDeviceSync
})
const OfflineApp = lazyLoad(async () => (await import('../offline/offline-page.tsx')).OfflineApp)
const OfflinePage = lazyLoad(async () => (await import('../offline/offline-page.tsx')).OfflinePage)

/**
 * Layout of the signed-in pages: provides the wallet, the purchase and the live stream, and shows
 * the app shell.
 */
export function SignedInLayout() {
  return (
    <Guard
      offline={
        <Suspense>
          <OfflineApp />
        </Suspense>
      }
    >
      <WalletProvider>
        <PurchaseProvider>
          <LiveShell />
          <LiveRegions />
          <Suspense>
            <LiveOverlays />
          </Suspense>
          <Suspense>
            <OfflineAlertCache />
          </Suspense>
          <Suspense>
            <PushDeviceSync />
          </Suspense>
        </PurchaseProvider>
      </WalletProvider>
    </Guard>
  )
}

function LiveShell() {
  const { name } = useUser()
  const { signOut } = useAuth()
  const hasWallet = useHasWallet()
  const { preferences, isKnown } = usePreferences()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  useDismissToastsOnNavigation(pathname)
  const unreadCount = useSyncedUnreadCount()
  useAppearance(preferences)
  useEffect(() => {
    if (isKnown) writeTimeHint(preferences)
  }, [preferences, isKnown])
  const { data: head } = useQuery(queries.logHead)

  const logOut = () => signOut({ leave: () => navigate({ to: paths.home }) })

  const isOffline = useOpenedOffline(pathname)
  const isDashboard = pathname === paths.dashboard && hasWallet && !isOffline
  return (
    <AppShell
      unread={unreadCount}
      live={<StreamSlot />}
      tools={
        <Suspense>
          <ShellActions />
        </Suspense>
      }
      wallet={<WalletSlot />}
      balance={<BalanceSlot />}
      subscribe={<SubscribeSlot />}
      welcome={<Welcome name={name} onLogout={() => void logOut()} />}
      pulse={
        pathname === paths.notifications &&
        hasWallet &&
        !isOffline && (
          <Suspense fallback={<PulseFrame />}>
            <PulseStrip />
          </Suspense>
        )
      }
      heading={isDashboard ? <DashboardHeading /> : undefined}
      logStatus={head ? <LogStatus entries={head.size} anchor={head.anchored} /> : <Skeleton className="h-10 w-40" />}
      walletStatus={<WalletStatusSlot />}
    >
      <Stream />
      {!isDashboard && <WalletStrip />}
      {isOffline ? (
        <Suspense>
          <OfflinePage />
        </Suspense>
      ) : (
        <Outlet />
      )}
    </AppShell>
  )
}

function WalletStatusSlot() {
  const { disconnect } = useWalletActions()
  const status = useWalletField('status')
  const address = useWalletField('address')
  if (status === 'reconnecting') return <Skeleton className="h-9 w-32" />
  return <WalletStatus address={address} onDisconnect={() => void disconnect()} />
}

/** Opens the stream if the wallet is proved, the user is entitled and real-time alerts are on. */
export function Stream(): null {
  const { id } = useUser()
  const address = useWalletField('address')
  const isProved = useIsWalletProved()
  const isEntitled = useIsEntitled()
  const { preferences, isSettled } = usePreferences()
  const shouldStream = isSettled && preferences.realTimeAlerts && isProved && isEntitled
  useAlertStream({ userId: id, walletAddress: shouldStream ? address : null, announce: announcements.push })
  useEffect(() => announcements.clear, [])
  return null
}
