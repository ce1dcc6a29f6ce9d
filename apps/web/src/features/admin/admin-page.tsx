import { BellRing, LayoutDashboard, Users } from 'lucide-react'
import { Tabs } from '../../ui/tabs.tsx'
import { useToastPlace } from '../../ui/use-toast-place.ts'
import { Guard } from '../account/guard.tsx'
import { AdminChanges } from './admin-changes.tsx'
import { AdminHeader } from './admin-header.tsx'
import { AlertsTab } from './alerts-tab.tsx'
import { DashboardTab } from './dashboard-tab.tsx'
import { useAdminPlace } from './use-admin-place.ts'
import { UserDetailDialog } from './user-detail-dialog.tsx'
import { UsersTab } from './users-tab.tsx'

const tabs = [
  { value: 'dashboard', label: 'Dashboard', icon: LayoutDashboard, panel: <DashboardTab /> },
  { value: 'alerts', label: 'Alerts', icon: BellRing, panel: <AlertsTab /> },
  { value: 'users', label: 'User Management', icon: Users, panel: <UsersTab /> },
] as const

/** The admin area, outside the user shell. Tab, view and filters are in the URL. */
export function AdminPage() {
  const { tab, view, user, go } = useAdminPlace()
  useToastPlace(`${tab} ${view}`)
  return (
    <Guard adminOnly>
      <AdminChanges />
      <AdminHeader />
      <main id="page" tabIndex={-1} className="outline-none">
        <Tabs
          label="Admin area"
          value={tab}
          onChange={(next) => go.open({ tab: next })}
          tabs={tabs}
          listClassName="px-10 phone:px-4 max-lg:px-6"
          panelClassName="px-10 py-6 outline-none max-lg:px-6 phone:px-4 phone:py-5"
        />
      </main>
      {user !== undefined && <UserDetailDialog id={user} onClose={() => go.show(undefined)} />}
    </Guard>
  )
}
