import { adminEndpoints, businessEndpoints, protectedChangeEndpoints, scheduledAlertEndpoints } from '@tocsin/protocol'

/** Calls of the admin area, loaded with the first of them. */
export const staffCalls = {
  ...adminEndpoints,
  ...businessEndpoints,
  ...protectedChangeEndpoints,
  ...scheduledAlertEndpoints,
}
