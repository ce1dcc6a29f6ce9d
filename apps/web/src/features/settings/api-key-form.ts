import { type ApiKey, type ApiKeyScope, apiKeyLimits, apiKeyScope, newApiKey, type RequestBody } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'
import { formatCountOf } from '../../ui/count.ts'

export const scopeLabels: Record<ApiKeyScope, { name: string; allows: string }> = {
  alerts: { name: 'Read alerts', allows: 'Alerts, prices and the track record. Fresh alerts need a plan.' },
  stream: { name: 'Stream', allows: 'New alerts over the WebSocket as they are issued. Needs a plan.' },
  verify: { name: 'Verify', allows: 'Proof bundles, which contain their alerts, and the public log.' },
}

/** Days until a new key expires, as options of a select field. */
export const expiryOptions = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: 'never', label: 'Never' },
] as const

const { requestsPerMinute: max, minRequestsPerMinute: min } = apiKeyLimits
const rangeMessage = `Enter a whole number from ${min} to ${max}`

export const apiKeyForm = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'Please enter a name')
    .max(60, 'At most 60 characters')
    .refine((name) => newApiKey.shape.name.safeParse(name).success, 'Enter one line of visible text'),
  scopes: z.array(apiKeyScope).min(1, 'Choose at least one permission'),
  expiry: z.enum(expiryOptions.map(({ value }) => value)),
  requestsPerMinute: z
    .string()
    .trim()
    .regex(/^\d{1,4}$/, rangeMessage)
    .transform(Number)
    .refine((count) => count >= min && count <= max, rangeMessage),
})

export type ApiKeyDraft = z.input<typeof apiKeyForm>
export type ApiKeyForm = z.output<typeof apiKeyForm>

/**
 * Initial values of the form. The rate limit is the default, or less if the other keys of the
 * account leave less.
 */
export function createApiKeyDraft(requestsLeft: number): ApiKeyDraft {
  const requestsPerMinute = Math.max(min, Math.min(apiKeyLimits.defaultRequestsPerMinute, requestsLeft))
  return { name: '', scopes: ['alerts'], expiry: '90', requestsPerMinute: String(requestsPerMinute) }
}

export function createApiKeyRequest({ expiry, ...form }: ApiKeyForm): RequestBody<'createApiKey'> {
  return expiry === 'never' ? form : { ...form, expiresInDays: Number(expiry) }
}

/** Requests per minute that the other keys leave for a new key. Expired keys do not count. */
export function countRequestsLeft(
  keys: readonly Pick<ApiKey, 'expiresAt' | 'requestsPerMinute'>[],
  nowMs: number,
): number {
  const validKeys = keys.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > nowMs)
  return validKeys.reduce<number>((unusedRequests, { requestsPerMinute }) => unusedRequests - requestsPerMinute, max)
}

/** "Never expires", "Expired" or "Expires in 90 days". */
export function formatExpiry(expiresAt: string | null, nowMs: number): string {
  if (expiresAt === null) return 'Never expires'
  const leftMs = Date.parse(expiresAt) - nowMs
  if (leftMs <= 0) return 'Expired'
  const days = Math.max(1, Math.round(leftMs / DAY_MS))
  return `Expires in ${formatCountOf(days, 'day')}`
}
