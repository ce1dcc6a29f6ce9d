import { sign } from 'node:crypto'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { VapidKeys } from './vapid-keys.ts'

const REUSED_MS = 12 * HOUR_MS
/**
 * Lifetime of a token. It is an hour longer than tokens are reused, because the clock of a push
 * service may be ahead. RFC 8292 allows at most 24 hours.
 */
const VALID_MS = 13 * HOUR_MS
/** Maximum number of cached tokens. It limits memory, because users choose the push services. */
const MAX_CACHED = 1_000

/**
 * Creates the header Authorization of RFC 8292 for a push service, and reuses it for 12 hours.
 * @param subject `mailto:` or `https:`, where the push service reaches the operator
 */
export function createVapidTokens() {
  const cached = new Map<string, { header: string; until: number }>()
  return ({ publicKey, privateKey }: VapidKeys, subject: string, endpoint: string, now: Date): string => {
    const audience = new URL(endpoint).origin
    const key = `${audience} ${publicKey} ${subject}`
    const known = cached.get(key)
    // If the clock was set back, create a new token, because the cached one would be valid for too
    // long.
    const restMs = (known?.until ?? 0) - now.getTime()
    if (known && restMs > 0 && restMs <= REUSED_MS) return known.header
    const claims = { aud: audience, exp: Math.floor((now.getTime() + VALID_MS) / 1_000), sub: subject }
    const content = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    const header = `vapid t=${content}.${signature.toString('base64url')}, k=${publicKey}`
    cached.delete(key)
    cached.set(key, { header, until: now.getTime() + REUSED_MS })
    for (const oldest of cached.keys()) if (cached.size > MAX_CACHED) cached.delete(oldest)
    return header
  }
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
