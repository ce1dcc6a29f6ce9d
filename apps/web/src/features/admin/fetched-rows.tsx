import type { ReactNode } from 'react'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { FetchFailure } from './fetch-failure.tsx'

interface FetchedRowsProps {
  query: { data: unknown; error: unknown; isFetching: boolean; refetch: () => unknown }
  /** What stands there until the first answer is here. */
  loading: { label: string; rows: number }
  /** What to say where it could not be had. */
  failed: string
  /** What stands there where there is nothing. */
  empty: ReactNode
  /** The rows; false where there are none. */
  children: ReactNode
}

/** The body of a list, whatever has become of its question. Once there are rows, they stay while they are asked for again. */
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
