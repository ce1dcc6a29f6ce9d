import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

interface QueryContentProps<Value> {
  query: UseQueryResult<Value>
  /** What is loading, for screen readers, for example "your account". */
  what: string
  /** Number of skeleton rows; the expected number of rows avoids a layout shift. */
  rows: number
  children: (value: Value) => ReactNode
}

/** Renders a query: its data, skeleton rows while it loads, or an error with a retry button. */
export function QueryContent<Value>({ query, what, rows, children }: QueryContentProps<Value>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) {
    return (
      <div role="alert" className="flex min-h-16 flex-wrap items-center gap-3 px-5 py-2.5 text-base phone:px-4">
        {getErrorMessage(query.error, 'The server did not respond.')}
        <Button onClick={() => void query.refetch()}>Try again</Button>
      </div>
    )
  }
  return (
    <div role="status" aria-label={`Loading ${what}`} className="divide-y divide-line-1">
      {[...Array(rows).keys()].map((row) => (
        <div key={row} className="flex h-16 items-center px-5 phone:px-4">
          <span className="flex-1">
            <Skeleton className="h-2 w-24" />
            <Skeleton className="mt-3 h-2 w-40" />
          </span>
          <Skeleton className="h-8 w-20" />
        </div>
      ))}
    </div>
  )
}
