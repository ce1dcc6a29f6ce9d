import { adminEndpoints } from '@tocsin/protocol'

/** Fetched with the first call that needs them. */
export const adminCalls = adminEndpoints
