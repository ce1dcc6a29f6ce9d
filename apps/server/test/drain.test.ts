import { Agent, request } from 'node:http'
import { closeCodes, errorBody } from '@tocsin/protocol'
import { startTestChain, startTestDatabase, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openDatabase } from '../src/db/database.ts'
import { ownWrite, send } from './raw-client.ts'

/** What clients observe of a server that shuts down. */

let parts: {
  database: Awaited<ReturnType<typeof startTestDatabase>>
  chain: Awaited<ReturnType<typeof startTestChain>>
}
let server: TestServer
let admin: TestClient
let databaseUrl: string

beforeAll(async () => {
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  parts = { database, chain }
})
afterAll(async () => {
  await Promise.all([parts?.database.stop(), parts?.chain.stop()])
})
beforeEach(async () => {
  server = await startTestServer(parts, { http: { drain: { noticeMs: 400, timeoutMs: 4_000 } } })
  databaseUrl = server.ctx.config.databaseUrl
  admin = await server.signInAdmin()
})
afterEach(async () => {
  await server?.close().catch(() => {})
})

const alert = { asset: 'BTC', summary: 'Volume 4x its mean', confidence: 87.5, priority: 'high' }
const postAlert = () => send(server.url, ownWrite(server.url, '/api/alerts', alert, admin.cookie()))

/** Holds the row of the log head, so that an alert request stays in flight until it is released. */
async function holdLog(): Promise<() => Promise<void>> {
  const { db, close } = openDatabase(databaseUrl, () => {})
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  const isHeld = new Promise<void>((resolve, reject) => {
    const holding = db.transaction(async (tx) => {
      await tx.execute(sql`select 1 from log_head for update`)
      resolve()
      await isReleased
    })
    holding.then(close, reject)
  })
  await isHeld
  return async () => release()
}

const countAlerts = async () => {
  const { db, close } = openDatabase(databaseUrl, () => {})
  const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int as count from alerts`)
  await close()
  return rows[0]?.count
}

async function isWaitingForLock(): Promise<void> {
  await eventually(async () => {
    const { rows } = await server.ctx.db.execute(
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    expect(rows.length).toBeGreaterThan(0)
  })
}

test('shutdown: answers a request in flight and then closes the connection', async () => {
  const release = await holdLog()
  const answer = postAlert()
  await isWaitingForLock()
  const closing = server.close()
  await eventually(async () => {
    await expect(send(server.url, { path: '/healthz' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
  await release()
  const { status, headers, body } = await answer
  expect([status, headers.connection]).toEqual([201, 'close'])
  expect(JSON.parse(body).alert).toMatchObject(alert)
  await closing
  expect(await countAlerts()).toBe(1)
})

test('shutdown: /readyz reports it first, while requests are still served', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (path: string) =>
    new Promise<[number, string | undefined]>((resolve, reject) => {
      const outgoing = request(`${server.url}${path}`, { agent }, (incoming) => {
        incoming.resume()
        incoming.on('end', () => resolve([incoming.statusCode ?? 0, incoming.headers.connection]))
      })
      outgoing.on('error', reject).end()
    })
  expect(await ask('/api/config')).toEqual([200, 'keep-alive'])
  const closing = server.close()
  expect(await ask('/api/config')).toEqual([200, 'close'])
  const ready = await send(server.url, { path: '/readyz' })
  expect([ready.status, JSON.parse(ready.body).status, ready.headers.connection]).toEqual([503, 'stopping', 'close'])
  expect((await postAlert()).status).toBe(201)
  await closing
  agent.destroy()
  expect(await countAlerts()).toBe(1)
})

test('shutdown: closes sockets with 1012 and a retry hint, and rejects new ones with the same hint', async () => {
  const headers = { origin: server.url, cookie: admin.cookie() }
  const open = () => new WebSocket(`${server.url.replace('http', 'ws')}/ws`, { headers })
  const socket = open()
  await new Promise((resolve) => socket.once('open', resolve))
  const closed = new Promise<[number, string]>((resolve) => {
    socket.once('close', (code, reason) => resolve([code, String(reason)]))
  })
  const closing = server.close()
  const refused = new Promise<[number, string | undefined, string]>((resolve) => {
    open().once('unexpected-response', (_request, answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => {
        const { code } = errorBody.parse(JSON.parse(text))
        resolve([answer.statusCode ?? 0, answer.headers['retry-after'], code])
      })
    })
  })
  expect(await refused).toEqual([503, '1', 'unavailable'])
  expect(await closed).toEqual([closeCodes.restart, 'Restarting; retry-after=1'])
  await closing
})

test('shutdown: waits for a stuck request only until the timeout', async () => {
  await server.close()
  // Shorter than the lock timeout of a statement, after which the request would be answered with
  // 503.
  server = await startTestServer(parts, { http: { drain: { noticeMs: 0, timeoutMs: 200 } } })
  databaseUrl = server.ctx.config.databaseUrl
  admin = await server.signInAdmin()
  const release = await holdLog()
  const answer = postAlert().catch((error: NodeJS.ErrnoException) => error.code)
  await isWaitingForLock()
  const closing = server.close()
  // The lock is held until the connection was cut.
  expect(await answer).toBe('ECONNRESET')
  await release()
  await closing
})
