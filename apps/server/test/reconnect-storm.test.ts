import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerMessage, serverMessage } from '@tocsin/protocol'
import { useTestParts } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { addSubscribers } from '../../../bench/fanout/subscribers.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'

/**
 * Tests that all sockets drop and reconnect at the same time. `bench/reconnects.ts` measures this
 * with 10,000 sockets.
 */

const CLIENT_COUNT = 200

const parts = useTestParts()
let server: TestServer
let accounts: { cookie: string; walletAddress: string }[]

beforeAll(async () => {
  server = await startTestServer(parts, { http: { trustedProxies: 1 } })
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-storm-'))
  await addSubscribers(server.ctx, CLIENT_COUNT, join(folder, 'people'))
  const lines = (await readFile(join(folder, 'people'), 'utf8')).trim().split('\n')
  accounts = lines.map((line) => {
    const [cookie = '', walletAddress = ''] = line.split(' ')
    return { cookie, walletAddress }
  })
  await rm(folder, { recursive: true })
})
afterAll(() => server?.close())

/** Connects one person. Resolves when the socket is live. */
async function connect(clientIndex: number, lastIndex?: number) {
  const { cookie, walletAddress } = accounts[clientIndex] ?? { cookie: '', walletAddress: '' }
  const headers = { cookie, origin: server.url, 'x-forwarded-for': `10.0.${clientIndex >> 8}.${clientIndex & 255}` }
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, { headers })
  const messages: ServerMessage[] = []
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ type: 'authenticate', walletAddress, lastIndex })))
    socket.on('message', (text) => {
      const message = serverMessage.parse(JSON.parse(String(text)))
      messages.push(message)
      if (message.type === 'live') resolve()
    })
    socket.on('unexpected-response', (_request, { statusCode }) => reject(new Error(`Status ${statusCode}`)))
    socket.on('close', (code) => reject(new Error(`Closed with ${code}`)))
    socket.on('error', reject)
  })
  return { socket, messages }
}

const issue = async (summary: string) => (await issueTestAlert(server.ctx, summary)).logIndex

test('live stream: 200 sockets that reconnect at the same time miss nothing and share database reads', async () => {
  const allIndexes = accounts.map((_, index) => index)
  const firstConnections = await Promise.all(allIndexes.map((at) => connect(at)))
  const lastIndex = await issue('received by all')
  const closed = firstConnections.map(({ socket }) => new Promise((resolve) => socket.on('close', resolve)))
  for (const { socket } of firstConnections) socket.terminate()
  await Promise.all(closed)
  const missedIndexes = [await issue('missed'), await issue('missed too')]

  const pool: unknown = Reflect.get(server.ctx.db, '$client')
  if (!(pool instanceof Pool)) throw new Error('The database has no pool')
  let useCount = 0
  const countUse = () => {
    useCount += 1
  }
  pool.on('acquire', countUse)
  const reconnectedClients = await Promise.all(allIndexes.map((at) => connect(at, lastIndex)))
  const listComplete = () =>
    reconnectedClients.filter(({ messages }) => missedIndexes.every((index) => getIndexes(messages).includes(index)))
  await expect.poll(listComplete).toHaveLength(CLIENT_COUNT)
  pool.off('acquire', countUse)
  // An alert may arrive twice, in the history and live. Clients ignore the second one.
  for (const { messages } of reconnectedClients) {
    const laterIndexes = getIndexes(messages).filter((index) => index > lastIndex)
    expect([...new Set(laterIndexes)]).toEqual(missedIndexes)
  }
  // Each socket needs its session, plan and history. In a measurement, all 200 sockets together
  // acquired a database connection 30 times.
  expect(useCount).toBeLessThan(CLIENT_COUNT / 2)
  for (const { socket } of reconnectedClients) socket.terminate()
})

const getIndexes = (messages: ServerMessage[]) =>
  messages.flatMap((message) => (message.type === 'new_alert' ? [message.alert.logIndex] : []))
