import { EventEmitter, once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerMessage, serverMessage } from '@tocsin/protocol'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import { addSubscribers } from '../../../bench/fanout/subscribers.ts'
import { extendLockTimeouts, longStatements } from './support/extend-lock-timeouts.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'

/**
 * Tests that all sockets drop and reconnect at the same time. `bench/reconnects.ts` measures this
 * with 10,000 sockets.
 */

const CLIENT_COUNT = 200

const parts = useTestDatabaseAndChain()
let server: TestServer
let accounts: { cookie: string; walletAddress: string }[]

beforeAll(async () => {
  server = await startTestServer(parts, { ...longStatements, http: { trustedProxies: 1 } })
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

/** Opens a socket of the subscriber with this index. */
async function openSocket(clientIndex: number) {
  const { cookie, walletAddress } = accounts[clientIndex] ?? { cookie: '', walletAddress: '' }
  const headers = { cookie, origin: server.url, 'x-forwarded-for': `10.0.${clientIndex >> 8}.${clientIndex & 255}` }
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, { headers })
  const messages: ServerMessage[] = []
  socket.on('message', (text) => messages.push(serverMessage.parse(JSON.parse(String(text)))))
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('unexpected-response', (_request, { statusCode }) => reject(new Error(`Status ${statusCode}`)))
    socket.on('error', reject)
  })
  return { socket, messages, walletAddress }
}

type Client = Awaited<ReturnType<typeof openSocket>>

/** Authenticates the socket. Resolves when the server has received the message. */
function authenticate({ socket, walletAddress }: Client, lastIndex?: number) {
  socket.send(JSON.stringify({ type: 'authenticate', walletAddress, lastIndex }))
  socket.ping()
  return once(socket, 'pong')
}

const isLive = ({ messages }: Client) => messages.some(({ type }) => type === 'live')

/** Makes reads of sessions wait until `wait` resolves. */
const delaySessionReads = (wait: () => Promise<unknown>) =>
  server.ctx.db.transaction(async (tx) => {
    await tx.execute(sql`lock table sessions in access exclusive mode`)
    await wait()
  })

const issue = async (summary: string) => (await issueTestAlert(server.ctx, summary)).logIndex

test('live stream: 200 sockets that reconnect at the same time miss nothing and share database reads', async () => {
  const allIndexes = accounts.map((_, index) => index)
  const firstClients = await Promise.all(allIndexes.map(openSocket))
  for (const client of firstClients) await authenticate(client)
  await expect.poll(() => firstClients.filter(isLive)).toHaveLength(CLIENT_COUNT)
  const lastIndex = await issue('received by all')
  const closed = firstClients.map(({ socket }) => new Promise((resolve) => socket.on('close', resolve)))
  for (const { socket } of firstClients) socket.terminate()
  await Promise.all(closed)
  const missedIndexes = [await issue('missed'), await issue('missed too')]

  const pool = extendLockTimeouts(server.ctx)
  let useCount = 0
  const countUse = () => {
    useCount += 1
  }
  pool.on('acquire', countUse)
  // Count the upgrade requests. The first database read ends only after all of them have arrived,
  // even on a slow machine.
  let upgradeCount = 0
  const emit = vi.spyOn(Server.prototype, 'emit').mockImplementation(function (this: Server, event, ...values) {
    if (event === 'upgrade') upgradeCount += 1
    return EventEmitter.prototype.emit.call(this, event, ...values)
  })
  let opened: Promise<Client>[] = []
  await delaySessionReads(() => {
    opened = allIndexes.map(openSocket)
    return expect.poll(() => upgradeCount).toBe(CLIENT_COUNT)
  })
  emit.mockRestore()
  const reconnectedClients = await Promise.all(opened)
  await delaySessionReads(() => Promise.all(reconnectedClients.map((client) => authenticate(client, lastIndex))))
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
  // acquired a database connection 12 times.
  expect(useCount).toBeLessThan(CLIENT_COUNT / 2)
  for (const { socket } of reconnectedClients) socket.terminate()
})

const getIndexes = (messages: ServerMessage[]) =>
  messages.flatMap((message) => (message.type === 'new_alert' ? [message.alert.logIndex] : []))
