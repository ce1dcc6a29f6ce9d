import { adminEndpoints, apiKeyEndpoints, channelEndpoints } from '@tocsin/protocol'

/** Loaded with the first call that needs them. */
export const laterCalls = { ...apiKeyEndpoints, ...channelEndpoints, ...adminEndpoints }
