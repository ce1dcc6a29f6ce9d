import { adminEndpoints, apiKeyEndpoints } from '@tocsin/protocol'

/** Loaded with the first call that needs them. */
export const laterCalls = { ...apiKeyEndpoints, ...adminEndpoints }
