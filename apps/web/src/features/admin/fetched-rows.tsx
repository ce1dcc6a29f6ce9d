import type { ReactNode } from 'react'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { FetchFailure } from './fetch-failure.tsx'

interface FetchedRowsProps {
  query: { data: unknown; error: unknown; isFetching: boolean; refetch: () => unknown }
  /** Skeleton shown until the first answer. */
  loading: { label: string; rows: number }
  /** Message to show if fetching failed. */
  failed: string
  /** Shown if the list is empty. */
  empty: ReactNode
  /** The rows; false if there are none. */
  children: ReactNode
}

/** The body of a list in every query state. Loaded rows stay visible during a refetch. */
export function FetchedRows({ query, loading, failed, empty, children }: FetchedRowsProps) {
  const { data, error, isFetching, refetch } = query
  if (!data && !error) return <SkeletonRows {...loading} />
  if (!data) {
    return (
      <div className="p-5 phone:p-4">
        <FetchFailure fallback={failed} error={error} isFetching={isFetching} onRetry={() => void refetch()} />
      </div>
    )
  }
  return children || empty
}
