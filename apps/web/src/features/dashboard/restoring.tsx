import { PulseFrame } from '../../shell/app-shell.tsx'
import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx'
import { EmptyListHeader, FirstRowTemplates } from '../alerts/first-rows.tsx'

/**
 * Placeholder of the dashboard, shown before the scripts run if a wallet connection will be
 * restored. public/theme.js replaces the skeleton of the list by the newest alerts.
 */
export function DashboardSkeleton() {
  return (
    <div className="min-h-[calc(100dvh-48px)]">
      <div className="flex h-10 items-center border-b border-line-1 px-5">
        <Skeleton className="h-3 w-72" />
      </div>
      <PulseFrame />
      <div className="flex">
        <div className="min-w-0 flex-1">
          <div className="h-9 border-b border-line-1 phone:h-13" />
          <EmptyListHeader />
          <FirstRowTemplates />
          <div data-first-rows>
            <SkeletonRows rows={10} label="Loading alerts" />
          </div>
        </div>
        <div className="w-104 shrink-0 border-l border-line-1 bg-ink-1 max-lg:hidden xl:w-120 min-[1600px]:w-140" />
      </div>
    </div>
  )
}
