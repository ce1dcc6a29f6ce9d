import { AlertMixPanel } from './alert-mix-panel.tsx'
import { AttentionPanel } from './attention-panel.tsx'
import { ChurnPanel, FunnelPanel, RetentionPanel } from './customer-panels.tsx'
import { HealthPanel } from './health-panel.tsx'
import { ReachPanel } from './reach-panel.tsx'
import { RevenuePanel } from './revenue-panel.tsx'
import { TreasuryPanel } from './treasury-panel.tsx'

/**
 * Revenue, what needs attention, who is likely to leave, whom the last critical alert reached, the
 * health of the sources, and the treasury. On narrow screens what needs attention comes first.
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
