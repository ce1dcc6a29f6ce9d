import { useRouter, useSearch } from '@tanstack/react-router'
import { BellRing, LayoutDashboard } from 'lucide-react'
import { Guard } from '../../guard.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AdminHeader } from './admin-header.tsx'
import { adminHref, readAdminTab } from './admin-search.ts'
import { AlertsTab } from './alerts-tab.tsx'
import { DashboardTab } from './dashboard-tab.tsx'

const tabs = [
  { value: 'dashboard', label: 'Dashboard', icon: LayoutDashboard, panel: <DashboardTab /> },
  { value: 'alerts', label: 'Alerts', icon: BellRing, panel: <AlertsTab /> },
] as const

/** The admin area, outside the user's shell. The tab lives in the address. */
export function AdminPage() {
  const router = useRouter()
  const tab = readAdminTab(useSearch({ strict: false }))
  return (
    <Guard adminOnly>
      <AdminHeader />
      <main>
        <Tabs
          label="Admin area"
          value={tab}
          onChange={(next) => router.history.push(adminHref(next))}
          tabs={tabs}
          listClassName="px-10 phone:px-4"
          panelClassName="px-10 py-6 outline-none phone:px-4 phone:py-5"
        />
      </main>
    </Guard>
  )
}
