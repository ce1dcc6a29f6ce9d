import { createHash } from 'node:crypto'
import { clientMessage, closeCodes, type Endpoint, endpoints, examples, serverMessage } from '@tocsin/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { compressText, sendCompressed } from './compressed.ts'

/** What each part of the reference is about: the start of its paths. The first that fits counts. */
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
  { tag: 'Alerts', paths: ['/api/alerts', '/api/log'] },
]
/** What every client reads before anything else. */
const elsewhere = 'Subscriptions'

/** What OpenAPI has no word for, in its extension fields, beside the tag that groups the reference. */
export function describeEndpoint(endpoint: Endpoint) {
  const { path, access, recent, limit } = endpoint
  const example = findExample(endpoint)
  const topic = topics.find(({ paths }) => paths.some((start) => path.startsWith(start)))
  return {
    tags: [topic?.tag ?? elsewhere],
    'x-access': access,
    ...(recent ? { 'x-recent': true } : {}),
    ...(limit ? { 'x-limit': limit } : {}),
    ...(example ? { 'x-example': example } : {}),
  }
}

function findExample(endpoint: Endpoint): unknown {
  const entry = Object.entries(endpoints).find(([, candidate]) => candidate === endpoint)
  return Object.entries(examples).find(([name]) => name === entry?.[0])?.[1]
}

/** The socket's messages both ways, as JSON Schema, and why it closes: OpenAPI describes no sockets. */
function describeSocket() {
  return {
    path: '/ws',
    clientMessages: z.toJSONSchema(clientMessage, { io: 'input' }),
    serverMessages: z.toJSONSchema(serverMessage, { io: 'output' }),
    closeCodes,
  }
}

/** GET /openapi.json: made once, because it is the same for everyone, and building it takes longer than any other answer. */
export function serveApiDocument(app: FastifyInstance): void {
  let made: ReturnType<typeof makeDocument> | null = null
  const options = { schema: { hide: true }, exposeHeadRoute: true }
  app.get('/openapi.json', options, async (request, reply) => {
    made ??= makeDocument(app)
    reply.header('etag', made.etag).header('cache-control', 'no-cache').header('vary', 'Accept-Encoding')
    if (request.headers['if-none-match']?.split(/,\s*/).includes(made.etag)) return reply.code(304).send()
    reply.type('application/json; charset=utf-8')
    return sendCompressed(reply, made.text, request.headers['accept-encoding'] ?? '')
  })
}

function makeDocument(app: FastifyInstance) {
  const json = JSON.stringify({ ...app.swagger(), 'x-websocket': describeSocket() })
  // Weak, because the same document is sent in several codings.
  const etag = `W/"${createHash('sha256').update(json).digest('base64url')}"`
  return { text: compressText(json), etag }
}
