import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { queries } from '../api/queries.ts'

/**
 * Calls `onChange` when the polled head of the log has changed: the log has grown or was anchored.
 * While entries are waiting for their anchor, each poll counts as a change. Pages refetch their
 * other log data in `onChange`, so that only the head is polled.
 */
export function useLogChange(onChange: () => void): void {
  const { data: head, dataUpdatedAt } = useQuery(queries.logHead)
  const revision = head && (head.anchored?.size === head.size ? head.size : dataUpdatedAt)
  const lastRevision = useRef(revision)
  useEffect(() => {
    if (lastRevision.current !== undefined && revision !== lastRevision.current) onChange()
    lastRevision.current = revision
  }, [revision, onChange])
}
