import { StatCards } from './stat-cards.tsx'
import { SystemStatusPanel } from './system-status-panel.tsx'

export function DashboardTab() {
  return (
    <div className="flex flex-col gap-4">
      <StatCards />
      <SystemStatusPanel />
    </div>
  )
}
