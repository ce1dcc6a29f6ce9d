import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { queries } from '../api/queries.ts'

/**
 * Calls `onChange` when the head of the log, which is polled, has changed since the last read: it
 * has grown or was anchored. While entries wait for their anchor, each read counts as a change.
 * Pages read what they show of the log then, so that only the head is polled.
 */
export function useLogChange(onChange: () => void): void {
  const { data: head, dataUpdatedAt } = useQuery(queries.logHead)
  const revision = head && (head.anchored?.size === head.size ? head.size : dataUpdatedAt)
  const last = useRef(revision)
  useEffect(() => {
    if (last.current !== undefined && revision !== last.current) onChange()
    last.current = revision
  }, [revision, onChange])
}
