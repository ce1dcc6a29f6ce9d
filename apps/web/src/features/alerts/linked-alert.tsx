import { useQuery } from '@tanstack/react-query'
import type { ListedAlert } from '@tocsin/protocol'
import { useMemo } from 'react'
import { QueryError } from '../../ui/query-error.tsx'
import { alertQueries } from '../alert/alert-queries.ts'
import { CompactRow, useListLayout } from './compact-row.tsx'
import { useMarkReadOnce } from './use-read-alerts.ts'

type LinkedAlertProps = {
  id: string
  isOpen: boolean
  /** Ids of alerts that the user has read on this page. */
  openedIds: ReadonlySet<string>
  onToggle: (entry: ListedAlert) => void
  onRead: (entry: ListedAlert) => void
}

/**
 * Shows a linked alert that is not among the rows of the list, because it is further down or
 * excluded by the filters.
 */
export function LinkedAlert({ id, isOpen, openedIds, onToggle, onRead }: LinkedAlertProps) {
  const { data, isLoadingError, refetch } = useQuery(alertQueries.one(id))
  const listLayout = useListLayout()
  const foundEntry = data?.items.find((entry) => entry.id === id)
  // Marking an alert as read changes only cached lists and not this query, so check `openedIds`
  // too.
  const isRead = foundEntry !== undefined && (foundEntry.isRead || openedIds.has(foundEntry.id))
  const entry = useMemo(() => foundEntry && { ...foundEntry, isRead }, [foundEntry, isRead])
  useMarkReadOnce(entry, onRead)
  if (isLoadingError)
    return <QueryError onRetry={() => void refetch()}>The linked alert could not be loaded.</QueryError>
  if (!data) return null
  return (
    <div className="border-b-4 border-line-1">
      <p className="px-5 py-2 text-hint text-2 phone:px-4">
        {entry
          ? 'Linked alert'
          : 'The linked alert is not available: it does not exist, or it requires a subscription.'}
      </p>
      {entry && <CompactRow entry={entry} {...listLayout} showsDay isOpen={isOpen} onToggle={onToggle} />}
    </div>
  )
}
