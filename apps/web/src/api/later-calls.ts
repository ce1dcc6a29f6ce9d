import {
  adminEndpoints,
  alertViewEndpoints,
  apiKeyEndpoints,
  businessEndpoints,
  channelEndpoints,
  factorEndpoints,
  passkeyEndpoints,
} from '@tocsin/protocol'

/** Loaded with the first call that needs them. */
export const laterCalls = {
  ...alertViewEndpoints,
  ...apiKeyEndpoints,
  ...channelEndpoints,
  ...factorEndpoints,
  ...passkeyEndpoints,
  ...adminEndpoints,
  ...businessEndpoints,
}
