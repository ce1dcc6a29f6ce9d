import { adminEndpoints } from '@tocsin/protocol'

/** Loaded with the first call that needs them. */
export const adminCalls = adminEndpoints
