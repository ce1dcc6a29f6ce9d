import { classNames } from './class-names.ts'

/** Loading placeholder. Give it the size of the content. Appears after 200 ms. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className={classNames('block animate-late rounded-control bg-ink-2 light:bg-ink-3', className)} />
  )
}

/** Placeholder rows of a list, 64 px high. The first one says what is loading. */
export function SkeletonRows({ rows = 3, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="divide-y divide-line-1">
      {[...Array(rows).keys()].map((row) => (
        <div key={row} className="flex h-16 items-center gap-5 px-5">
          <Skeleton className="h-2 w-14" />
          {row === 0 ? (
            <span aria-hidden className="flex-1 animate-late text-base text-2">{`${label}…`}</span>
          ) : (
            <span className="flex flex-1 flex-col gap-2">
              <Skeleton className="h-2 w-20" />
              <Skeleton className="h-2 w-12" />
            </span>
          )}
          <Skeleton className="h-2 w-16" />
          <Skeleton className="size-9 rounded-full" />
        </div>
      ))}
    </div>
  )
}
