import { z } from 'zod'
import { isOneLine, isPlainText, isVisible } from './plain-text.ts'
import { isoTime } from './primitives.ts'

/**
 * What an API key may do. An endpoint names the one scope that opens it; `stream` opens /ws.
 * Endpoints without a scope accept no key: payments, wallets, settings, keys and the admin area.
 */
export const apiKeyScopes = ['alerts', 'stream', 'verify'] as const
export const apiKeyScope = z.enum(apiKeyScopes)
export type ApiKeyScope = z.infer<typeof apiKeyScope>

/** "tocsin_" and 256 random bits as base64url. */
export const apiKeyPattern = /^tocsin_[A-Za-z0-9_-]{43}$/

export const apiKeyLimits = {
  keys: 10,
  /** All keys of an account together. Each key has its share of it. */
  requestsPerMinute: 600,
  defaultRequestsPerMinute: 60,
  leastRequestsPerMinute: 10,
  /** A call that is marked as costly counts as this many requests. */
  costlyRequests: 10,
  mostDays: 366,
} as const

/** An API key as lists show it. The key itself is only in the response that creates it. */
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
  name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .refine((name) => isPlainText(name) && isOneLine(name) && isVisible(name), 'Expected one line of visible text'),
  scopes: z
    .array(apiKeyScope)
    .min(1)
    .max(apiKeyScopes.length)
    .refine((scopes) => new Set(scopes).size === scopes.length, 'Expected each scope once'),
  /** Without it the key does not expire. */
  expiresInDays: z.number().int().min(1).max(apiKeyLimits.mostDays).optional(),
  requestsPerMinute: z
    .number()
    .int()
    .min(apiKeyLimits.leastRequestsPerMinute)
    .max(apiKeyLimits.requestsPerMinute)
    .default(apiKeyLimits.defaultRequestsPerMinute),
})

/** `secret` is the key. It is in this response only. */
export const createdApiKey = z.object({ key: apiKey, secret: z.string() })
