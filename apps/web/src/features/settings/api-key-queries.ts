import { plainQuery } from '../../api/queries.ts'

/** In a separate module, because every page loads `queries`. */
export const apiKeysQuery = plainQuery('listApiKeys', '/api/keys')
