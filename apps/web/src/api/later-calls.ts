import {
  adminEndpoints,
  alertViewEndpoints,
  announcedChangesEndpoint,
  apiKeyEndpoints,
  businessEndpoints,
  channelEndpoints,
  couponEndpoints,
  factorEndpoints,
  letterEndpoints,
  outreachEndpoints,
  passkeyEndpoints,
  protectedChangeEndpoints,
  scheduledAlertEndpoints,
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
  ...scheduledAlertEndpoints,
  ...outreachEndpoints,
  ...passkeyEndpoints,
  ...adminEndpoints,
  ...businessEndpoints,
  ...securityLogEndpoints,
  ...protectedChangeEndpoints,
  ...announcedChangesEndpoint,
}
