import { z } from 'zod'
import { isoTime } from './primitives.ts'
import { createLineSchema, isDistinct } from './shared-schemas.ts'

/**
 * The permissions of an API key. An endpoint names the one scope that gives access to it; `stream`
 * gives access to /ws. Endpoints without a scope accept no key: payments, wallets, settings, keys
 * and the admin area.
 */
export const apiKeyScopes = ['alerts', 'stream', 'verify'] as const
export const apiKeyScope = z.enum(apiKeyScopes)
export type ApiKeyScope = z.infer<typeof apiKeyScope>

/** A key is "tocsin_" and 256 random bits as base64url. */
export const apiKeyPattern = /^tocsin_[A-Za-z0-9_-]{43}$/

export const apiKeyLimits = {
  keys: 10,
  /** Limit of all keys of an account together: the sum of their `requestsPerMinute`. */
  requestsPerMinute: 600,
  defaultRequestsPerMinute: 60,
  minRequestsPerMinute: 10,
  /** Number of requests that a call of a costly endpoint counts as. */
  costlyRequests: 10,
  maxDays: 366,
} as const

/** An API key as shown in lists. The key itself is only in the response that creates it. */
export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  /** The first characters of the key. */
  prefix: z.string(),
  scopes: z.array(apiKeyScope),
  requestsPerMinute: z.number().int(),
  createdAt: isoTime,
  /** Null if the key does not expire. */
  expiresAt: isoTime.nullable(),
  /** Accurate to one minute. */
  lastUsedAt: isoTime.nullable(),
})
export type ApiKey = z.infer<typeof apiKey>

export const newApiKey = z.strictObject({
  name: createLineSchema(60),
  scopes: z.array(apiKeyScope).min(1).max(apiKeyScopes.length).refine(isDistinct, 'Expected each scope once'),
  /** Absent for a key that does not expire. */
  expiresInDays: z.number().int().min(1).max(apiKeyLimits.maxDays).optional(),
  requestsPerMinute: z
    .number()
    .int()
    .min(apiKeyLimits.minRequestsPerMinute)
    .max(apiKeyLimits.requestsPerMinute)
    .default(apiKeyLimits.defaultRequestsPerMinute),
})

/** `secret` is the key. Only this response contains it. */
export const createdApiKey = z.object({ key: apiKey, secret: z.string() })
