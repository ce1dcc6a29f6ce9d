import { AlertMixPanel } from './alert-mix-panel.tsx'
import { AttentionPanel } from './attention-panel.tsx'
import { ChurnPanel, FunnelPanel, RetentionPanel } from './customer-panels.tsx'
import { HealthPanel } from './health-panel.tsx'
import { ReachPanel } from './reach-panel.tsx'
import { RevenuePanel } from './revenue-panel.tsx'
import { TreasuryPanel } from './treasury-panel.tsx'

/**
 * Panels for revenue, open problems, customers, the reach of the last critical alert, the treasury,
 * the health of the sources, and alerts. On narrow screens the open problems come first.
 */
export function BusinessTab() {
  return (
    <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <RevenuePanel />
      <div className="grid min-w-0 max-lg:order-first">
        <AttentionPanel />
      </div>
      <FunnelPanel />
      <RetentionPanel />
      <ChurnPanel />
      <ReachPanel />
      <TreasuryPanel />
      <HealthPanel />
      <AlertMixPanel />
    </div>
  )
}
