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
import type { staffCalls } from './staff-calls.ts'

/** Calls of accounts that most pages do not need. */
const laterCalls = {
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

type LaterName = keyof typeof laterCalls
type StaffName = keyof typeof staffCalls

const isLater = (name: LaterName | StaffName): name is LaterName => name in laterCalls

/** Calls of the admin area are loaded with the first of them. */
export async function findCall(name: LaterName | StaffName) {
  return isLater(name) ? laterCalls[name] : (await import('./staff-calls.ts')).staffCalls[name]
}
