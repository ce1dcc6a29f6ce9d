import { DAY_MS } from '@tocsin/protocol/durations'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { createApiKey, revokeApiKey } from '@tocsin/server/features/api-keys/service.ts'
import { addSubscription, startTestChain, startTestDatabase, startTestSession } from '@tocsin/testkit'
import { startTestServer } from '@tocsin/testkit/server'
import { WebSocket } from 'ws'
import { describeMachine } from '../scripts/describe-machine.ts'
import { computePercentile } from './percentile.ts'

/**
 * Measures the time from the revocation of an API key until its stream is closed, while the streams
 * of the other keys are open. Server and streams share a process.
 * Usage: node --import tsx bench/revocation.ts [keys = 200]
 */
const KEY_COUNT = Number(process.argv[2] ?? 200)

const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const server = await startTestServer({ database, chain }, { http: { trustedProxies: 1 } })

async function openStream(streamIndex: number) {
  const login = { email: `trader-${streamIndex}@example.com`, password: 'the long password of a trader' }
  const accountId = await createAccount(server.ctx, { ...login, name: 'Trader', role: 'user', verified: true })
  await addSubscription(server.ctx, accountId, DAY_MS)
  const by = { actorId: accountId, requestId: 'bench' }
  const keyRequest = { name: 'Bot', scopes: ['stream' as const], requestsPerMinute: 60 }
  const owner = await startTestSession(server.ctx, accountId)
  const { key, secret } = await createApiKey(server.ctx, owner, by, keyRequest)
  const socket = new WebSocket(`${server.url.replace(/^http/, 'ws')}/ws`, {
    headers: {
      authorization: `Bearer ${secret}`,
      'x-forwarded-for': `198.18.${streamIndex >> 8}.${streamIndex & 255}`,
    },
  })
  socket.on('open', () => socket.send(JSON.stringify({ type: 'auth_key' })))
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (data) => data.toString().includes('"type":"live"') && resolve())
  })
  return { socket, revoke: () => revokeApiKey(server.ctx, owner, by, key.id) }
}

try {
  const streams: Awaited<ReturnType<typeof openStream>>[] = []
  for (let index = 0; index < KEY_COUNT; index += 1) streams.push(await openStream(index))
  console.log(describeMachine())
  const times: number[] = []
  for (const { socket, revoke } of streams) {
    const socketClosed = new Promise<number>((resolve) => socket.on('close', resolve))
    const startMs = performance.now()
    await revoke()
    const code = await socketClosed
    if (code !== 4401) throw new Error(`The stream was closed with ${code}`)
    times.push(performance.now() - startMs)
  }
  const formatPercentile = (share: number) => `${computePercentile(times, share).toFixed(1)} ms`
  console.log(
    `${KEY_COUNT} keys, revoked one after the other: median ${formatPercentile(0.5)}, p99 ${formatPercentile(0.99)}, slowest ${formatPercentile(1)}`,
  )
} finally {
  await server.close()
  await Promise.all([database.stop(), chain.stop()])
}
