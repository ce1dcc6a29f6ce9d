import { adminEndpoints, businessEndpoints, protectedChangeEndpoints, scheduledAlertEndpoints } from '@tocsin/protocol'

/** Calls of the admin area. */
export const staffCalls = {
  ...adminEndpoints,
  ...businessEndpoints,
  ...protectedChangeEndpoints,
  ...scheduledAlertEndpoints,
}
