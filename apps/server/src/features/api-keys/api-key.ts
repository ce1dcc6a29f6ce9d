import { type ApiKeyScope, apiKeyLimits, apiKeyPattern } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { Refusal } from '../../refusal.ts'
import { createSecret } from '../sessions/secret.ts'

/**
 * Number of characters of a key that are stored to identify it: "tocsin_" and the first 5 of 43
 * characters. 226 of its 256 bits stay secret.
 */
const PREFIX_LENGTH = 12
/** Minimum time between two writes of `lastUsedAt`. */
const LAST_USE_UPDATE_MS = MINUTE_MS

/** Creates a key. The prefix "tocsin_" allows secret scanners to find keys in repositories. */
export function createKey(): { secret: string; prefix: string } {
  const secret = `tocsin_${createSecret()}`
  return { secret, prefix: secret.slice(0, PREFIX_LENGTH) }
}

/** @throws Refusal api_key_invalid */
export function assertWellFormed(token: string): void {
  if (apiKeyPattern.test(token)) return
  throw new Refusal('api_key_invalid', 'This is not an API key: expected tocsin_ and 43 characters')
}

interface StoredApiKey {
  expiresAt: Date | null
  suspendedAt: Date | null
}

/** @throws Refusal api_key_invalid, api_key_expired, account_suspended */
export function assertUsable<K extends StoredApiKey>(key: K | undefined, now: Date): asserts key is K {
  if (!key) throw new Refusal('api_key_invalid', 'This API key does not exist or was revoked')
  if (isExpired(key, now))
    throw new Refusal('api_key_expired', 'This API key has expired. Create a new one in Settings')
  if (key.suspendedAt) throw new Refusal('account_suspended', 'The account of this API key is suspended')
}

export function isExpired({ expiresAt }: Pick<StoredApiKey, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now
}

/**
 * Checks that the account may have another key with this rate limit. The rate limits of all keys
 * that have not expired must not exceed the rate limit of the account, so that no key can use up
 * the share of another.
 * @throws Refusal too_many_api_keys
 */
export function assertRoom(
  existingKeys: readonly { expiresAt: Date | null; requestsPerMinute: number }[],
  requestsPerMinute: number,
  now: Date,
): void {
  if (existingKeys.length >= apiKeyLimits.keys) {
    throw new Refusal('too_many_api_keys', `An account has at most ${apiKeyLimits.keys} API keys. Revoke one first.`)
  }
  const usedRequestsPerMinute = existingKeys
    .filter((key) => !isExpired(key, now))
    .reduce((sum, key) => sum + key.requestsPerMinute, 0)
  const leftRequestsPerMinute = apiKeyLimits.requestsPerMinute - usedRequestsPerMinute
  if (requestsPerMinute <= leftRequestsPerMinute) return
  throw new Refusal(
    'too_many_api_keys',
    `All keys of an account share ${apiKeyLimits.requestsPerMinute} requests a minute, and ${leftRequestsPerMinute} are left.`,
    { requestsLeft: leftRequestsPerMinute },
  )
}

export function shouldSaveLastUse(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= LAST_USE_UPDATE_MS
}

const scopeNames: Record<ApiKeyScope, string> = { alerts: 'read alerts', stream: 'stream', verify: 'verify' }

/** Returns the names of the scopes, for example "read alerts, stream". */
export function describeScopes(scopes: readonly ApiKeyScope[]): string {
  return scopes.map((scope) => scopeNames[scope]).join(', ')
}
