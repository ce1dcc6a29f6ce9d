import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import type { Alert } from '@tocsin/protocol'
import { Suspense, useCallback } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useAuth, useUser } from '../../session/auth.tsx'
import { usePreferences } from '../../session/preferences.ts'
import { useAppearance } from '../../session/use-appearance.ts'
import { AppShell } from '../../shell/app-shell.tsx'
import { LogStatus, WalletStatus, Welcome } from '../../shell/status.tsx'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { useAlertStream } from '../../stream/use-alert-stream.ts'
import { PulseLine } from '../../ui/identity/pulse-line.tsx'
import { lazyLoad, untilIdle } from '../../ui/lazy-load.tsx'
import { useNow } from '../../ui/now.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useToastPlace } from '../../ui/use-toast-place.ts'
import { useWallet, WalletProvider } from '../../wallet/wallet.tsx'
import { Guard } from '../account/guard.tsx'
import { hrefOf } from '../alert/alert-words.ts'
import { useFreshAlerts } from '../alerts/use-fresh-alerts.ts'
import { useUnread } from '../alerts/use-unread.ts'
import { announcements } from '../live/announcements.ts'
import { LiveRegions } from '../live/live-regions.tsx'
import { PurchaseProvider } from '../subscription/purchase-provider.tsx'
import { useSubscription } from '../subscription/use-subscription.ts'
import { BalanceSlot, StreamSlot, SubscribeSlot, WalletSlot } from './header-slots.tsx'
import { pulseAlerts } from './pulse.ts'
import { WalletStrip } from './wallet-strip.tsx'

/** Announces new alerts. Lazy loaded when the browser is idle. */
const LiveAttention = lazyLoad(async () => {
  await untilIdle()
  return (await import('../live/live-attention.tsx')).LiveAttention
})
const ShellTools = lazyLoad(async () => {
  await untilIdle()
  return (await import('../live/shell-tools.tsx')).ShellTools
})

const pulsePaths: readonly string[] = [paths.dashboard, paths.notifications]

/** Layout of the signed-in pages: wallet, purchase and live stream with the app shell. */
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

  // Without a wallet the dashboard has no pulse strip. Show it while reconnecting, too, so that the
  // layout does not shift.
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

/** Opens the stream if the wallet is proved, the user is entitled and real-time alerts are on. */
function useStream(): void {
  const { id, isAdmin } = useUser()
  const { address, isProved } = useWallet()
  const { subscription } = useSubscription()
  const { preferences, isSettled } = usePreferences()
  const shouldStream = isSettled && preferences.realTimeAlerts && isProved && (isAdmin || subscription !== null)
  const announce = useCallback((alert: Alert) => announcements.push({ kind: 'alert', alert }), [])
  const announceOutcome = useCallback((alert: Alert) => announcements.push({ kind: 'outcome', alert }), [])
  const caughtUp = useCallback((count: number) => announcements.push({ kind: 'caught_up', count }), [])
  useAppearance(preferences)
  useAlertStream({ userId: id, walletAddress: shouldStream ? address : null, announce, announceOutcome, caughtUp })
}

const stepMs = 15_000
const mostRecent = 100

/** The alerts of the last 24 hours, including locked ones. A click opens the alert in the list. */
function PulseStrip() {
  const { id } = useUser()
  const router = useRouter()
  const { gaps, isWanted } = useStreamStatus()
  const { preferences } = usePreferences()
  const { data: own = [] } = useQuery(queries.userAlerts(id))
  const { data: recent = [] } = useQuery(queries.recentAlerts)
  // Subscribers have all alerts from the queries above. For others, this adds the locked ones.
  const { data: locked = [] } = useQuery({
    queryKey: ['/api/alerts/recent', mostRecent],
    queryFn: ({ signal }) => call('recentAlerts', { query: { limit: mostRecent }, signal }),
    enabled: !isWanted && preferences.realTimeAlerts,
  })
  const now = useNow((nowMs) => Math.floor(nowMs / stepMs) * stepMs)
  const alerts = pulseAlerts([...own.map(({ alert }) => alert), ...recent, ...(isWanted ? [] : locked)], now)
  return (
    <PulseLine alerts={alerts} gaps={gaps} now={now} onSelect={(alertId) => router.history.push(hrefOf(alertId))} />
  )
}
