import type { ReactNode } from 'react'
import { adminTexts } from '../../texts/admin.ts'
import { Button } from '../../ui/button.tsx'

const texts = adminTexts.loadMore

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
        {hasFailed ? texts.nextPage : children}
      </span>
      {hasMore && (
        <Button size="sm" variant="ghost" busy={isLoading} onClick={onMore} className="text-signal">
          {isLoading ? texts.loading : hasFailed ? texts.tryAgain : texts.loadMore}
        </Button>
      )}
    </>
  )
}
