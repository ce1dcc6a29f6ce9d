import {
  adminEndpoints,
  alertViewEndpoints,
  announcedChangesEndpoint,
  apiKeyEndpoints,
  businessEndpoints,
  channelEndpoints,
  factorEndpoints,
  passkeyEndpoints,
  protectedChangeEndpoints,
  securityLogEndpoints,
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
  ...securityLogEndpoints,
  ...protectedChangeEndpoints,
  ...announcedChangesEndpoint,
}
