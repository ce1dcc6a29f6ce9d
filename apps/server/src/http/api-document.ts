import { clientMessage, closeCodes, type Endpoint, endpoints, examples, serverMessage } from '@tocsin/protocol'
import { z } from 'zod'

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
export function describeSocket() {
  return {
    path: '/ws',
    clientMessages: z.toJSONSchema(clientMessage, { io: 'input' }),
    serverMessages: z.toJSONSchema(serverMessage, { io: 'output' }),
    closeCodes,
  }
}
