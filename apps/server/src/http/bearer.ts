import { type Endpoint, endpoints } from '@tocsin/protocol'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../refusal.ts'

interface Carrier {
  url?: string | undefined
  headers: { authorization?: string | undefined }
}

/**
 * Returns the token of an API request with `Authorization: Bearer`, or null. Other schemes are
 * ignored, because a reverse proxy may require its own password.
 */
export function readBearer({ url = '', headers: { authorization = '' } }: Carrier): string | null {
  const isOfApi = url.startsWith('/api/') || /^\/ws(\?|$)/.test(url)
  return isOfApi && /^bearer(\s|$)/i.test(authorization) ? authorization.slice('bearer'.length).trim() : null
}

const KEY_IN_TEXT = /tocsin_[\w-]{8,}/gi
/** Matches the secret in the address of a private feed. */
const FEED_IN_TEXT = /feed_[\w-]{20,}/gi
/**
 * Matches the token of a link in a message. Anyone with the token can unsubscribe the destination.
 */
const LINK_IN_TEXT = /[\da-f-]{36}\.\d{1,15}\.[\w-]{20,}/gi

/** Removes API keys, secrets of feeds and tokens of links from text that is logged. */
export function redactKeys(text: string): string {
  return text
    .replace(KEY_IN_TEXT, 'tocsin_[redacted]')
    .replace(FEED_IN_TEXT, 'feed_[redacted]')
    .replace(LINK_IN_TEXT, '[redacted]')
}

const methodsByPath = new Map<string, Set<string>>()
for (const { scope, method, path } of Object.values<Endpoint>(endpoints)) {
  if (scope === undefined) continue
  const methods = methodsByPath.get(path) ?? new Set()
  methodsByPath.set(path, methods.add(method))
}
const crossOriginCalls = [...methodsByPath].map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`),
  methods,
}))

const opensWithKey = (url: string, method: string) =>
  crossOriginCalls.some(({ pattern, methods }) => methods.has(method) && pattern.test(url.split('?')[0] ?? ''))

const PREFLIGHT_MAX_AGE_S = 600

/**
 * Allows pages of any origin to send requests with an API key. Cookies are never allowed, and a
 * request with a key ignores them.
 */
export function allowKeysFromAnyOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { url, method, headers } = request
    if (/tocsin_[\w-]{43}/i.test(url)) {
      const message = 'An API key must not be part of a URL, which is logged in many places. Revoke this key.'
      throw new Refusal('api_key_in_url', message)
    }
    if (readBearer(request) !== null) {
      reply.header('access-control-allow-origin', '*')
      reply.header('access-control-expose-headers', 'etag, retry-after, x-request-id, www-authenticate')
    }
    const requestedMethod = headers['access-control-request-method']
    if (method !== 'OPTIONS' || requestedMethod === undefined || !opensWithKey(url, requestedMethod)) return
    return reply
      .code(204)
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': requestedMethod,
        'access-control-allow-headers': 'authorization, content-type, if-none-match',
        'access-control-max-age': PREFLIGHT_MAX_AGE_S,
      })
      .send()
  })
}
