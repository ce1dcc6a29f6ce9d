import {
  apiKeyLimits,
  clientMessage,
  closeCodes,
  type Endpoint,
  endpoints,
  examples,
  serverMessage,
} from '@tocsin/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { compressText, sendCompressed } from './compressed.ts'
import { createEntityTag, hasTag } from './entity-tag.ts'

/** Tags of the API reference by path prefix. The first match wins. */
const topics: readonly { tag: string; paths: readonly string[] }[] = [
  { tag: 'Authentication', paths: ['/api/auth/'] },
  {
    tag: 'Users',
    paths: [
      '/api/users',
      '/api/account',
      '/api/wallets',
      '/api/activity',
      '/api/settings',
      '/api/admin',
      '/api/support',
    ],
  },
  { tag: 'Subscriptions', paths: ['/api/subscriptions'] },
  { tag: 'Alerts', paths: ['/api/alerts', '/api/log', '/api/track-record'] },
]
/** Tag for endpoints without a matching prefix, such as orders and the public configuration. */
const defaultTag = 'Subscriptions'

const { keys, requestsPerMinute, costlyRequests } = apiKeyLimits

/** API keys of programs, with their limits and refusals. */
export const securitySchemes = {
  apiKey: {
    type: 'http' as const,
    scheme: 'bearer',
    description: [
      'An API key of the account, created in the settings: `Authorization: Bearer tocsin_…`. `x-scope` of a call is the scope that the key needs; without it, no key can make the call. Cookies are ignored, and pages of any origin may make the call.',
      `Limits: each key has its own number of requests a minute, and all keys of an account together have ${requestsPerMinute}. An account has at most ${keys} keys. A call with \`x-limit\` counts as ${costlyRequests} requests, unless \`x-limit\` is \`day\`. Beyond the limit: 429 with Retry-After.`,
      'Refusals: 401 `api_key_invalid` (malformed, unknown or revoked), `api_key_expired`, `api_key_in_url`; 403 `api_key_scope`, `account_suspended`; 429 `too_many_requests`.',
    ].join('\n\n'),
  },
}

/**
 * Returns the tag of the endpoint, and extension fields for properties that OpenAPI cannot express.
 */
export function describeEndpoint(endpoint: Endpoint) {
  const { path, access, recent, scope, limit } = endpoint
  const example = findExample(endpoint)
  const topic = topics.find(({ paths }) => paths.some((start) => path.startsWith(start)))
  return {
    tags: [topic?.tag ?? defaultTag],
    'x-access': access,
    ...(recent ? { 'x-recent': true } : {}),
    // The entries of `security` are alternatives. `{}` stands for a session, or for no credentials
    // if the access is public.
    ...(scope ? { 'x-scope': scope, security: [{}, { apiKey: [scope] }] } : {}),
    ...(limit ? { 'x-limit': limit } : {}),
    ...(example ? { 'x-example': example } : {}),
  }
}

function findExample(endpoint: Endpoint): unknown {
  const entry = Object.entries(endpoints).find(([, candidate]) => candidate === endpoint)
  return Object.entries(examples).find(([name]) => name === entry?.[0])?.[1]
}

/**
 * Describes the WebSocket messages as JSON Schema, and the close codes: OpenAPI does not cover
 * WebSockets.
 */
function describeSocket() {
  return {
    path: '/ws',
    // The scope that an API key needs to open the stream.
    scope: 'stream',
    clientMessages: z.toJSONSchema(clientMessage, { io: 'input' }),
    serverMessages: z.toJSONSchema(serverMessage, { io: 'output' }),
    closeCodes,
  }
}

/**
 * Serves GET /openapi.json. The document is built once, because it is the same for every client and
 * slow to build.
 */
export function serveApiDocument(app: FastifyInstance): void {
  let document: ReturnType<typeof makeDocument> | null = null
  const options = { schema: { hide: true }, exposeHeadRoute: true }
  app.get('/openapi.json', options, async (request, reply) => {
    document ??= makeDocument(app)
    reply.header('etag', document.tag).header('cache-control', 'no-cache').header('vary', 'Accept-Encoding')
    if (hasTag(request.headers['if-none-match'], document.tag)) return reply.code(304).send()
    reply.type('application/json; charset=utf-8')
    return sendCompressed(reply, document.text, request.headers['accept-encoding'] ?? '')
  })
}

function makeDocument(app: FastifyInstance) {
  const json = JSON.stringify({ ...app.swagger(), 'x-websocket': describeSocket() })
  return { text: compressText(json), tag: createEntityTag(json) }
}
