import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'

interface LoadMoreProps {
  /** What is shown of how many. */
  children: ReactNode
  hasMore: boolean
  isLoading: boolean
  /** The page after this one could not be had. */
  hasFailed: boolean
  onMore: () => void
}

/** The foot of a list that comes in pages. */
export function LoadMore({ children, hasMore, isLoading, hasFailed, onMore }: LoadMoreProps) {
  return (
    <>
      <span role="status" className="min-w-0 flex-1">
        {hasFailed ? 'The next page could not be read.' : children}
      </span>
      {hasMore && (
        <Button size="sm" variant="ghost" busy={isLoading} onClick={onMore} className="text-signal">
          {isLoading ? 'Loading…' : hasFailed ? 'Try again' : 'Load more'}
        </Button>
      )}
    </>
  )
}
