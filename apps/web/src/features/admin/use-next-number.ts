import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { adminQueries } from './admin-queries.ts'
import { logNumber } from './alert-number.ts'

/**
 * Number of the next log entry as far as the page knows: from the log head or the alert list,
 * whichever is newer. They are fetched separately.
 */
export function useNextNumber(): string | null {
  const { data: head } = useQuery(queries.logHead)
  const { data: newest } = useInfiniteQuery({
    ...adminQueries.alerts({ search: '', priority: undefined }),
    select: ({ pages }) => pages[0]?.items[0]?.logIndex ?? -1,
  })
  return head ? logNumber(Math.max(head.size, (newest ?? -1) + 1)) : null
}
