import { Skeleton } from '../../ui/skeleton.tsx'

/** Stands for tabs and a form of so many fields while the page learns what to offer. */
export function FormSkeleton({ fields }: { fields: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-5 pb-10">
      <Skeleton className="mb-1 h-11 w-full" />
      {[...Array(fields).keys()].map((field) => (
        <Skeleton key={field} className="h-16 w-full" />
      ))}
      {fields === 2 && <Skeleton className="h-6 w-48" />}
      <Skeleton className="h-10 w-full" />
    </div>
  )
}
