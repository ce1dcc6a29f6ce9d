import { PulseFrame } from '../../shell/app-shell.tsx'
import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx'

/** Skeleton of the dashboard before the scripts run, if a wallet connection will be restored. */
export function Restoring() {
  return (
    <div role="status" aria-label="Loading the dashboard" className="min-h-[calc(100dvh-48px)]">
      <div className="flex h-10 items-center border-b border-line-1 px-5">
        <Skeleton className="h-3 w-72" />
      </div>
      <PulseFrame />
      <div className="h-9 border-b border-line-1 max-lg:h-12" />
      <SkeletonRows rows={10} label="Loading alerts" />
    </div>
  )
}
