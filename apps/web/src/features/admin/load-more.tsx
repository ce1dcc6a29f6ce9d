import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'

interface LoadMoreProps {
  /** What is shown of how many. */
  children: ReactNode
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    /** The page after this one could not be had. */
    isFetchNextPageError: boolean
    fetchNextPage: () => unknown
  }
}

/** The foot of a list that comes in pages. */
export function LoadMore({ children, query }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage: isLoading, isFetchNextPageError: hasFailed, fetchNextPage } = query
  return (
    <>
      <span role="status" className="min-w-0 flex-1">
        {hasFailed ? 'The next page could not be read.' : children}
      </span>
      {hasNextPage && (
        <Button size="sm" variant="ghost" busy={isLoading} onClick={() => void fetchNextPage()} className="text-signal">
          {isLoading ? 'Loading…' : hasFailed ? 'Try again' : 'Load more'}
        </Button>
      )}
    </>
  )
}
