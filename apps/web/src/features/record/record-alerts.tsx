import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { formatCount } from '../../ui/count.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { QueryError } from '../../ui/query-error.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type RecordOrigin, type RecordSelection, recordQueries } from '../prediction/record-queries.ts'
import { RecordAlertsPanel, RecordRows } from './record-rows.tsx'

type RecordAlertsProps = { origin: RecordOrigin; selection: RecordSelection; title: string }

/** The alerts behind a figure, newest first. Use the selection as React key. */
export function RecordAlerts({ origin, selection, title }: RecordAlertsProps) {
  const query = useInfiniteQuery(recordQueries.alerts(origin, selection))
  const ref = useRef<HTMLDivElement>(null)
  // The panel is loaded after a click on a link, so the browser cannot scroll to it itself.
  useEffect(() => {
    ref.current?.scrollIntoView({ block: 'start' })
    ref.current?.focus({ preventScroll: true })
  }, [])
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <RecordAlertsPanel
      ref={ref}
      origin={origin}
      selection={selection}
      title={title}
      footer={
        query.hasNextPage ? (
          <LoadMore query={query}>{`Showing ${formatCount(items.length)}, newest first`}</LoadMore>
        ) : undefined
      }
    >
      {query.isPending ? (
        <SkeletonRows rows={3} label="Loading alerts" />
      ) : query.isLoadingError ? (
        <QueryError onRetry={() => void query.refetch()}>The alerts could not be loaded.</QueryError>
      ) : (
        <RecordRows items={items} />
      )}
    </RecordAlertsPanel>
  )
}
