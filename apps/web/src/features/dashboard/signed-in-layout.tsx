import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import type { Alert } from '@tocsin/protocol'
import { lazy, Suspense, useCallback } from 'react'
import { AppShell } from '../../app-shell.tsx'
import { useAuth, useUser } from '../../auth.tsx'
import { Guard } from '../../guard.tsx'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { LogStatus, WalletStatus, Welcome } from '../../shell/status.tsx'
import { AlertToasts, alertToast } from '../../ui/alert-toast.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast.tsx'
import { useAlertStream } from '../../use-alert-stream.ts'
import { useWallet, WalletProvider } from '../../wallet/wallet.tsx'
import { countUnread } from '../alerts/alert-filter.ts'
import { hrefOf, proofHrefOf } from '../alerts/alert-words.ts'
import { RelationTags } from '../alerts/relations.tsx'
import { ToastProof } from '../alerts/toast-proof.tsx'
import { PurchaseProvider, useSubscription } from '../subscription/purchase-provider.tsx'
import { BalanceSlot, StreamSlot, SubscribeSlot, WalletSlot } from './header-slots.tsx'
import { PulseStrip } from './pulse-strip.tsx'
import { WalletStrip } from './wallet-strip.tsx'

/** Closed at first: fetched when the frame stands. */
const PurchaseDialog = lazy(async () => ({
  default: (await import('../subscription/purchase-dialog.tsx')).PurchaseDialog,
}))

const pulsePaths: readonly string[] = [paths.dashboard, paths.notifications]

/** Everything around a signed-in page: the wallet, the purchase, the live stream, and the frame that shows them. */
export function SignedInLayout() {
  return (
    <Guard>
      <WalletProvider>
        <PurchaseProvider>
          <LiveShell />
          <Suspense>
            <PurchaseDialog />
          </Suspense>
          <AlertToasts />
        </PurchaseProvider>
      </WalletProvider>
    </Guard>
  )
}

function LiveShell() {
  const { name, id } = useUser()
  const { signOut } = useAuth()
  const { address, disconnect, status } = useWallet()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const { data: own = [] } = useQuery(queries.userAlerts(id))
  const { data: head } = useQuery(queries.logHead)
  useStream()

  async function logOut() {
    await navigate({ to: paths.home })
    await signOut()
  }

  // Without a wallet the dashboard is one button. A wallet that is being restored has its strip already: nothing moves when it is there.
  const hasPulse = pulsePaths.includes(pathname) && (status === 'connected' || status === 'reconnecting')
  return (
    <AppShell
      unread={countUnread(own)}
      live={<StreamSlot />}
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

/** The stream is open while the session may speak for the wallet and has something to hear. */
function useStream(): void {
  const { id, isAdmin } = useUser()
  const { address, isProved } = useWallet()
  const { subscription } = useSubscription()
  const mayListen = isProved && (isAdmin || subscription !== null)
  const announce = useCallback((alert: Alert) => alertToast(describeAlert(alert)), [])
  const caughtUp = useCallback((count: number) => {
    toast({ title: `Caught up: ${count} ${count === 1 ? 'alert' : 'alerts'}` })
  }, [])
  useAlertStream({ userId: id, walletAddress: mayListen ? address : null, announce, caughtUp })
}

function describeAlert(alert: Alert) {
  const { id, priority, asset, anomalyType, summary, createdAt } = alert
  return {
    id,
    priority,
    asset,
    anomalyType,
    summary,
    at: createdAt,
    href: hrefOf(id),
    verifyHref: proofHrefOf(id),
    relation: <RelationTags alert={alert} className="mb-1" />,
    proof: <ToastProof alert={alert} />,
  }
}
