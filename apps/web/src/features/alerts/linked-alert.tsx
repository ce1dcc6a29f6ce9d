import { useQuery } from '@tanstack/react-query'
import type { ListedAlert } from '@tocsin/protocol'
import { useEffect } from 'react'
import { alertQueries } from '../alert/alert-queries.ts'
import { CompactRow } from './compact-row.tsx'

type LinkedAlertProps = {
  id: string
  isOpen: boolean
  onToggle: (entry: ListedAlert) => void
  onSeen: (entry: ListedAlert) => void
}

/**
 * Shows the alert that a link opens if the list does not contain it, because it is further down or
 * excluded by the filters.
 */
export function LinkedAlert({ id, isOpen, onToggle, onSeen }: LinkedAlertProps) {
  const { data } = useQuery(alertQueries.one(id))
  const entry = data?.items[0]
  useEffect(() => {
    if (entry) onSeen(entry)
  }, [entry, onSeen])
  if (!data) return null
  return (
    <div className="border-b-4 border-line-1">
      <p className="px-5 py-2 text-hint text-2 phone:px-4">
        {entry
          ? 'Linked alert'
          : 'The linked alert is not available: it does not exist, or it requires a subscription.'}
      </p>
      {entry && <CompactRow entry={entry} isOpen={isOpen} onToggle={onToggle} />}
    </div>
  )
}
