import type { ReactNode } from 'react'
import { adminTexts } from '../../texts/admin.ts'
import { Button } from '../../ui/button.tsx'

const texts = adminTexts.loadMore

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
        {hasFailed ? texts.nextPage : children}
      </span>
      {hasNextPage && (
        <Button size="sm" variant="ghost" busy={isLoading} onClick={() => void fetchNextPage()} className="text-signal">
          {isLoading ? texts.loading : hasFailed ? texts.tryAgain : texts.loadMore}
        </Button>
      )}
    </>
  )
}
