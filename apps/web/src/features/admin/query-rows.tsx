import type { ReactNode } from 'react'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { AdminQueryError } from './admin-query-error.tsx'

interface QueryRowsProps {
  query: { data: unknown; error: unknown; isFetching: boolean; refetch: () => unknown }
  /** Label and number of rows of the skeleton, which is shown until the first response. */
  loading: { label: string; rows: number }
  /** Shown if fetching failed. The message of the server, if it sent one, follows. */
  failed: string
  /** Shown if the list is empty. */
  empty: ReactNode
  /** The rows, or false if the list is empty. */
  children: ReactNode
}

/**
 * The body of a list: skeleton, error, empty state or rows. Loaded rows stay visible during a
 * refetch.
 */
export function QueryRows({ query, loading, failed, empty, children }: QueryRowsProps) {
  const { data, error } = query
  if (!data && !error) return <SkeletonRows {...loading} />
  if (!data) {
    return (
      <div className="p-5 phone:p-4">
        <AdminQueryError fallback={failed} query={query} />
      </div>
    )
  }
  return children || empty
}
