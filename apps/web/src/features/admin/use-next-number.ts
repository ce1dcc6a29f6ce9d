import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { adminQueries } from './admin-queries.ts'
import { formatLogNumber } from './alert-number.ts'

/**
 * Returns the number that the next log entry will have, as far as the page knows. The log head and
 * the list of alerts are fetched separately, so the function uses the higher of their numbers.
 */
export function useNextNumber(): string | null {
  const { data: head } = useQuery(queries.logHead)
  const { data: newest } = useInfiniteQuery({
    ...adminQueries.alerts({ search: '', priority: undefined }),
    select: ({ pages }) => pages[0]?.items[0]?.logIndex ?? -1,
  })
  return head ? formatLogNumber(Math.max(head.size, (newest ?? -1) + 1)) : null
}
