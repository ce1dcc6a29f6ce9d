import type { ReactNode } from 'react'
import { Button } from './button.tsx'

interface LoadMoreProps {
  /** Text that says how many entries are shown. */
  children: ReactNode
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    /** True if the next page failed to load. */
    isFetchNextPageError: boolean
    fetchNextPage: () => unknown
  }
}

/** Footer of a paged list. */
export function LoadMore({ children, query }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage: isLoading, isFetchNextPageError: hasFailed, fetchNextPage } = query
  return (
    <>
      <span role="status" className="min-w-0 flex-1">
        {hasFailed ? 'Failed to load the next page.' : children}
      </span>
      {hasNextPage && (
        <Button size="sm" variant="ghost" busy={isLoading} onClick={() => void fetchNextPage()} className="text-signal">
          {isLoading ? 'Loading…' : hasFailed ? 'Try again' : 'Load more'}
        </Button>
      )}
    </>
  )
}
