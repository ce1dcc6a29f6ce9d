import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/api.ts'

/** Not in `queries`, which every page loads. */
export const apiKeysQuery = queryOptions({
  queryKey: ['/api/keys'],
  queryFn: ({ signal }) => call('listApiKeys', { signal }),
})
