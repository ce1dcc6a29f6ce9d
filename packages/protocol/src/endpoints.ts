import type { z } from 'zod'
import { adminEndpoints } from './admin-endpoints.ts'
import { alertViewEndpoints } from './alert-view-endpoints.ts'
import { apiKeyEndpoints } from './api-key-endpoints.ts'
import { businessEndpoints } from './business-endpoints.ts'
import { channelEndpoints } from './channel-endpoints.ts'
import { coreEndpoints } from './core-endpoints.ts'
import { couponEndpoints } from './coupon-endpoints.ts'
import { factorEndpoints } from './factor-endpoints.ts'
import { outreachEndpoints } from './outreach-endpoints.ts'
import { passkeyEndpoints } from './passkey-endpoints.ts'
import { announcedChangesEndpoint, protectedChangeEndpoints } from './protected-changes.ts'
import { scheduledAlertEndpoints } from './scheduled-alert-endpoints.ts'
import { securityLogEndpoints } from './security-log.ts'
import { supportMessageEndpoints } from './support-message-endpoints.ts'

/**
 * Single definition of every endpoint: the server registers it, the client calls it, and OpenAPI is
 * generated from it.
 */
export const endpoints = {
  ...coreEndpoints,
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
  ...couponEndpoints,
  ...outreachEndpoints,
  ...supportMessageEndpoints,
  ...scheduledAlertEndpoints,
} as const

export type EndpointName = keyof typeof endpoints
export type RequestBody<N extends EndpointName> = z.input<(typeof endpoints)[N]['body']>
export type ResponseOf<N extends EndpointName> = z.output<(typeof endpoints)[N]['response']>
