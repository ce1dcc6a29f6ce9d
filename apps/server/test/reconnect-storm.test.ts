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

const COUNT = 200

const parts = useTestParts()
let server: TestServer
let accounts: { cookie: string; walletAddress: string }[]

beforeAll(async () => {
  server = await startTestServer(parts, { http: { trustedProxies: 1 } })
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-storm-'))
  await addSubscribers(server.ctx, COUNT, join(folder, 'people'))
  const lines = (await readFile(join(folder, 'people'), 'utf8')).trim().split('\n')
  accounts = lines.map((line) => {
    const [cookie = '', walletAddress = ''] = line.split(' ')
    return { cookie, walletAddress }
  })
  await rm(folder, { recursive: true })
})
afterAll(() => server?.close())

/** Connects one person. Resolves when the socket is live. */
async function connect(at: number, lastIndex?: number) {
  const { cookie, walletAddress } = accounts[at] ?? { cookie: '', walletAddress: '' }
  const headers = { cookie, origin: server.url, 'x-forwarded-for': `10.0.${at >> 8}.${at & 255}` }
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
  const all = accounts.map((_, index) => index)
  const before = await Promise.all(all.map((at) => connect(at)))
  const lastIndex = await issue('received by all')
  const closed = before.map(({ socket }) => new Promise((resolve) => socket.on('close', resolve)))
  for (const { socket } of before) socket.terminate()
  await Promise.all(closed)
  const missed = [await issue('missed'), await issue('missed too')]

  const pool: unknown = Reflect.get(server.ctx.db, '$client')
  if (!(pool instanceof Pool)) throw new Error('The database has no pool')
  let uses = 0
  const count = () => {
    uses += 1
  }
  pool.on('acquire', count)
  const back = await Promise.all(all.map((at) => connect(at, lastIndex)))
  const complete = () => back.filter(({ messages }) => missed.every((index) => getIndexes(messages).includes(index)))
  await expect.poll(complete).toHaveLength(COUNT)
  pool.off('acquire', count)
  // An alert may arrive twice, in the history and live. Clients ignore the second one.
  for (const { messages } of back) {
    const later = getIndexes(messages).filter((index) => index > lastIndex)
    expect([...new Set(later)]).toEqual(missed)
  }
  // Each socket needs its session, plan and history. In a measurement, all 200 sockets together
  // acquired a database connection 30 times.
  expect(uses).toBeLessThan(COUNT / 2)
  for (const { socket } of back) socket.terminate()
})

const getIndexes = (messages: ServerMessage[]) =>
  messages.flatMap((message) => (message.type === 'new_alert' ? [message.alert.logIndex] : []))
