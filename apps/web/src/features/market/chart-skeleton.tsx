import { classNames } from '../../ui/class-names.ts'
import { Skeleton } from '../../ui/skeleton.tsx'

/** Height of a chart in the detail of an alert. */
export const detailHeightClass = 'h-53 md:h-60 lg:h-44 xl:h-53'

/** @param className sets the height */
export function ChartSkeleton({ className }: { className: string }) {
  return (
    <div role="status" className={classNames('relative', className)}>
      <Skeleton className="h-full" />
      <span className="absolute inset-0 grid animate-late place-items-center text-hint text-2">Loading the chart…</span>
    </div>
  )
}
