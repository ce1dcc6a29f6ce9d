import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/api.ts'

/** In a separate module, because every page loads `queries`. */
export const apiKeysQuery = queryOptions({
  queryKey: ['/api/keys'],
  queryFn: ({ signal }) => call('listApiKeys', { signal }),
})
