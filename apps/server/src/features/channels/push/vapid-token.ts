import { sign } from 'node:crypto'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { VapidKeys } from './vapid-keys.ts'

const TOKEN_REUSE_MS = 12 * HOUR_MS
/**
 * Lifetime of a token. It exceeds the time of reuse by an hour, because the clock of a push service
 * may be ahead. RFC 8292 allows at most 24 hours.
 */
const TOKEN_LIFETIME_MS = 13 * HOUR_MS
/** Maximum number of cached tokens. It limits memory, because users choose the push services. */
const MAX_CACHED_TOKENS = 1_000

/**
 * Returns a function that returns the header Authorization of RFC 8292 for a push service. The
 * function reuses a header for 12 hours. Its parameter `subject` is a `mailto:` or `https:` URL
 * where the push service reaches the operator.
 */
export function createVapidTokens() {
  const cachedTokens = new Map<string, { header: string; reuseUntilMs: number }>()
  return ({ publicKey, privateKey }: VapidKeys, subject: string, endpoint: string, now: Date): string => {
    const audience = new URL(endpoint).origin
    const key = `${audience} ${publicKey} ${subject}`
    const cachedToken = cachedTokens.get(key)
    // If the clock was set back, create a new token, because the cached one would be valid for too
    // long.
    const reuseMs = (cachedToken?.reuseUntilMs ?? 0) - now.getTime()
    if (cachedToken && reuseMs > 0 && reuseMs <= TOKEN_REUSE_MS) return cachedToken.header
    const claims = { aud: audience, exp: Math.floor((now.getTime() + TOKEN_LIFETIME_MS) / 1_000), sub: subject }
    const content = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    const header = `vapid t=${content}.${signature.toString('base64url')}, k=${publicKey}`
    cachedTokens.delete(key)
    cachedTokens.set(key, { header, reuseUntilMs: now.getTime() + TOKEN_REUSE_MS })
    for (const oldestKey of cachedTokens.keys())
      if (cachedTokens.size > MAX_CACHED_TOKENS) cachedTokens.delete(oldestKey)
    return header
  }
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
