import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { openAlertStream } from '@tocsin/client'
import { BellRing, ChartColumn, ExternalLink, LayoutDashboard, LogOut, Mail, Users } from 'lucide-react'
import { Suspense, useEffect } from 'react'
import { queries } from '../../api/queries.ts'
import { logUnknownMessage } from '../../browser/log-unknown-message.ts'
import { paths } from '../../paths.ts'
import { useAuth, useUser } from '../../session/auth.tsx'
import { usePreferences } from '../../session/preferences.ts'
import { useAppearance } from '../../session/use-appearance.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/identity/logo.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useDismissToastsOnNavigation } from '../../ui/use-dismiss-toasts-on-navigation.ts'
import { Guard } from '../account/guard.tsx'
import { AlertsTab } from './alerts-tab.tsx'
import { Allowed } from './allowed.tsx'
import { DashboardTab } from './dashboard-tab.tsx'
import { refreshAfterConnect, refreshAreas } from './refresh.ts'
import { describeHealth } from './system-health.ts'
import { useAdminSearchParams } from './use-admin-search-params.ts'
import { UsersTab } from './users-tab.tsx'

/** The tab is loaded on demand, because its charts need a library that no other page needs. */
const BusinessTab = lazyLoad(async () => (await import('./business-tab.tsx')).BusinessTab)

function LazyBusinessTab() {
  return (
    <Suspense fallback={<SkeletonRows label="Loading figures" rows={8} />}>
      <BusinessTab />
    </Suspense>
  )
}

const SupportMessagesTab = lazyLoad(async () => (await import('./support-messages-tab.tsx')).SupportMessagesTab)
const UserDetailDialog = lazyLoad(async () => (await import('./user-detail-dialog.tsx')).UserDetailDialog)

function SupportMessages() {
  return (
    <Suspense fallback={<SkeletonRows label="Loading support messages" rows={6} />}>
      <SupportMessagesTab />
    </Suspense>
  )
}

const tabs = [
  { value: 'business', label: 'Business', icon: ChartColumn, panel: <LazyBusinessTab />, needs: 'payments.read' },
  { value: 'dashboard', label: 'Dashboard', icon: LayoutDashboard, panel: <DashboardTab />, needs: 'settings.read' },
  { value: 'alerts', label: 'Alerts', icon: BellRing, panel: <AlertsTab />, needs: 'alerts.read' },
  { value: 'users', label: 'User Management', icon: Users, panel: <UsersTab />, needs: 'users.read' },
  { value: 'letters', label: 'Support messages', icon: Mail, panel: <SupportMessages />, needs: 'letters.read' },
] as const

/** The admin area, outside the user shell. Tab, view and filters are in the URL. */
export function AdminPage() {
  const { tab, view } = useAdminSearchParams()
  useDismissToastsOnNavigation(`${tab} ${view}`)
  return (
    <Guard adminOnly>
      <AdminAppearance />
      <AdminChangeListener />
      <AdminHeader />
      <main id="page" tabIndex={-1} className="outline-none">
        <AdminTabs />
      </main>
      <Allowed to="users.read">
        <OpenUserDialog />
      </Allowed>
    </Guard>
  )
}

/** Shows times in the time zone of the signed-in user. */
function AdminAppearance() {
  const { preferences } = usePreferences()
  useAppearance(preferences)
  return null
}

/** Shows the tabs that the role of the signed-in user allows. */
function AdminTabs() {
  const { tab, go } = useAdminSearchParams()
  const { permissions } = useUser()
  const allowedTabs = tabs.filter(({ needs }) => permissions.includes(needs))
  const currentTab = allowedTabs.find(({ value }) => value === tab) ?? allowedTabs[0]
  if (!currentTab) return null
  return (
    <Tabs
      label="Admin area"
      value={currentTab.value}
      onChange={(next) => go.open({ tab: next })}
      tabs={allowedTabs}
      listClassName="px-10 phone:px-4 max-lg:px-6"
      panelClassName="px-10 py-6 outline-none max-lg:px-6 phone:px-4 phone:py-5"
    />
  )
}

function OpenUserDialog() {
  const { user, go } = useAdminSearchParams()
  return (
    user !== undefined && (
      <Suspense fallback={null}>
        <UserDetailDialog id={user} onClose={() => go.show(undefined)} />
      </Suspense>
    )
  )
}

/**
 * Keeps the admin area up to date: when the server announces that areas have changed, refetches the
 * queries of these areas.
 */
function AdminChangeListener() {
  const queryClient = useQueryClient()
  useEffect(() => {
    const stream = openAlertStream({
      url: `${location.origin.replace(/^http/, 'ws')}/ws`,
      // The socket proves no wallet, so it gets no alerts.
      isPassive: true,
      authenticate() {
        void refreshAfterConnect(queryClient)
        return null
      },
      onMessage(message) {
        if (message.type === 'admin_changed') refreshAreas(queryClient, message.areas)
      },
      onUnknown: logUnknownMessage,
      onEnded: () => void queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey }),
    })
    const probe = () => stream.probe()
    window.addEventListener('focus', probe)
    window.addEventListener('online', probe)
    return () => {
      window.removeEventListener('focus', probe)
      window.removeEventListener('online', probe)
      stream.close()
    }
  }, [queryClient])
  return null
}

function AdminHeader() {
  return (
    <header
      data-shell-header
      className="sticky top-0 z-20 flex min-h-16 flex-wrap items-center gap-x-5 gap-y-2 border-b border-line-1 bg-ink-0 px-10 py-2 max-lg:px-6 phone:px-4"
    >
      <h1 className="flex items-center gap-3 text-lead font-semibold">
        <Mark size={28} />
        Tocsin Admin
      </h1>
      <SystemBadge />
      <div className="ml-auto flex items-center gap-2 phone:order-2">
        <Button variant="ghost" asChild inHeader>
          <Link to={paths.dashboard}>
            <ExternalLink aria-hidden size={16} strokeWidth={2.25} />
            <span className="phone:sr-only">Open dashboard</span>
          </Link>
        </Button>
        <LogoutButton />
      </div>
    </header>
  )
}

function SystemBadge() {
  const { data, isError } = useQuery(queries.status)
  const { tone, words } = describeHealth(data, isError)
  return (
    <span role="status" className="min-w-0 phone:order-3 phone:w-full">
      <Badge tone={tone}>{words}</Badge>
    </span>
  )
}

function LogoutButton() {
  const { signOut } = useAuth()
  const navigate = useNavigate()

  const logOut = () => signOut({ forgetAdmin: true, leave: () => navigate({ to: paths.home }) })

  return (
    <Button inHeader onClick={logOut}>
      <LogOut aria-hidden size={16} strokeWidth={2.25} />
      <span className="max-[374px]:sr-only">Logout</span>
    </Button>
  )
}
