import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../api/api.ts'

const pageSize = 8
const firstCursor = ''

/** Security events of the account, newest first. */
export const securityLogQuery = infiniteQueryOptions({
  queryKey: ['/api/account/security-log'],
  queryFn: ({ pageParam, signal }) =>
    call('listOwnSecurityEvents', {
      query: { limit: pageSize, ...(pageParam === firstCursor ? {} : { cursor: pageParam }) },
      signal,
    }),
  initialPageParam: firstCursor,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  refetchOnMount: 'always',
})
