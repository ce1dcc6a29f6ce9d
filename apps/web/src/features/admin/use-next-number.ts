import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { queries } from '../../queries.ts'
import { adminQueries } from './admin-queries.ts'
import { logNumber } from './alert-number.ts'

/** What the next entry of the log will be, as far as the page knows: head and list are read apart, and the newer of them counts. */
export function useNextNumber(): string | null {
  const { data: head } = useQuery(queries.logHead)
  const { data: newest } = useInfiniteQuery({
    ...adminQueries.alerts({ search: '', priority: undefined }),
    select: ({ pages }) => pages[0]?.items[0]?.logIndex ?? -1,
  })
  return head ? logNumber(Math.max(head.size, (newest ?? -1) + 1)) : null
}
