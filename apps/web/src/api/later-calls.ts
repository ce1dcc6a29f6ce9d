import {
  alertViewEndpoints,
  announcedChangesEndpoint,
  apiKeyEndpoints,
  channelEndpoints,
  couponEndpoints,
  factorEndpoints,
  letterEndpoints,
  outreachEndpoints,
  passkeyEndpoints,
  securityLogEndpoints,
} from '@tocsin/protocol'

/** Loaded with the first call that needs them. */
export const laterCalls = {
  ...alertViewEndpoints,
  ...apiKeyEndpoints,
  ...channelEndpoints,
  ...couponEndpoints,
  ...factorEndpoints,
  ...letterEndpoints,
  ...outreachEndpoints,
  ...passkeyEndpoints,
  ...securityLogEndpoints,
  ...announcedChangesEndpoint,
}
