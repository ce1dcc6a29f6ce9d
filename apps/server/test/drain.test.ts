import { Agent, request } from 'node:http'
import { closeCodes, errorBody, readRetryHint } from '@tocsin/protocol'
import type { TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openDatabase } from '../src/db/database.ts'
import { MAX_RETRY_HINT_MS } from '../src/features/live/retry-hint.ts'
import { createWriteRequest, type RawAnswer, send } from './raw-client.ts'

/** Tests what clients observe while a server shuts down. */

const parts = useTestDatabaseAndChain()
let server: TestServer
let admin: TestClient
/** Aborting this ends the drain notice period. */
let noticeController: AbortController

afterEach(async () => {
  noticeController?.abort()
  await server?.close().catch(() => {})
})

/**
 * Limit that is longer than any test, so that the test determines when the notice period and the
 * requests end.
 */
const UNLIMITED_MS = 600_000

async function startServer(drain = { noticeMs: UNLIMITED_MS, timeoutMs: UNLIMITED_MS }): Promise<void> {
  noticeController = new AbortController()
  server = await startTestServer(parts, { http: { drain } }, { endNotice: noticeController.signal })
  admin = await server.signInAdmin()
}

const alert = { asset: 'BTC', summary: 'Volume 4× its mean', confidence: 87.5, priority: 'high' }
const postAlert = () => send(server.url, createWriteRequest(server.url, '/api/alerts', alert, admin.cookie()))

/**
 * Sends the headers of a request that posts an alert. The request stays in flight until `finish`
 * sends the body.
 */
function startPosting(): Promise<{ answer: Promise<RawAnswer>; finish(): void }> {
  const post = createWriteRequest(server.url, '/api/alerts', alert, admin.cookie())
  const headers = { ...post.headers, expect: '100-continue' }
  return new Promise((resolve) => {
    const answer = send(server.url, { ...post, headers }, (outgoing) => {
      // The server requests the body when it has received the headers.
      outgoing.once('continue', () => resolve({ answer, finish: () => outgoing.end(post.body) }))
      outgoing.flushHeaders()
    })
  })
}

const countAlerts = async () => {
  const { db, close } = openDatabase(server.ctx.config.databaseUrl, () => {})
  const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int as count from alerts`)
  await close()
  return rows[0]?.count
}

test('shutdown: completes a request in flight and then closes the connection', async () => {
  await startServer()
  const { answer, finish } = await startPosting()
  const closing = server.close()
  noticeController.abort()
  await eventually(async () => {
    await expect(send(server.url, { path: '/healthz' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
  finish()
  const { status, headers, body } = await answer
  expect([status, headers.connection]).toEqual([201, 'close'])
  expect(JSON.parse(body).alert).toMatchObject(alert)
  await closing
  expect(await countAlerts()).toBe(1)
})

test('shutdown: /readyz and /healthz return 503 while other requests are still served', async () => {
  await startServer()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const requestPath = (path: string) =>
    new Promise<[number, string | undefined]>((resolve, reject) => {
      const outgoing = request(`${server.url}${path}`, { agent }, (incoming) => {
        incoming.resume()
        incoming.on('end', () => resolve([incoming.statusCode ?? 0, incoming.headers.connection]))
      })
      outgoing.on('error', reject).end()
    })
  expect(await requestPath('/api/config')).toEqual([200, 'keep-alive'])
  const closing = server.close()
  expect(await requestPath('/api/config')).toEqual([200, 'close'])
  const readyResponse = await send(server.url, { path: '/readyz' })
  expect([readyResponse.status, JSON.parse(readyResponse.body).status, readyResponse.headers.connection]).toEqual([
    503,
    'stopping',
    'close',
  ])
  expect((await send(server.url, { path: '/healthz' })).status).toBe(503)
  expect((await postAlert()).status).toBe(201)
  noticeController.abort()
  await closing
  agent.destroy()
  expect(await countAlerts()).toBe(1)
})

test('shutdown: closes sockets with 1012 and random retry hints, and rejects new ones with Retry-After', async () => {
  await startServer()
  const headers = { origin: server.url, cookie: admin.cookie() }
  const openSocket = () => new WebSocket(`${server.url.replace('http', 'ws')}/ws`, { headers })
  const sockets = Array.from({ length: 4 }, openSocket)
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('open', resolve))))
  const allClosed = sockets.map(
    (socket) =>
      new Promise<[number, string]>((resolve) => {
        socket.once('close', (code, reason) => resolve([code, String(reason)]))
      }),
  )
  const closing = server.close()
  const refusedUpgrade = new Promise<[number, string | undefined, string]>((resolve) => {
    openSocket().once('unexpected-response', (_request, answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => {
        const { code } = errorBody.parse(JSON.parse(text))
        resolve([answer.statusCode ?? 0, answer.headers['retry-after'], code])
      })
    })
  })
  expect(await refusedUpgrade).toEqual([503, '1', 'unavailable'])
  noticeController.abort()
  const closed = await Promise.all(allClosed)
  expect(closed.map(([code]) => code)).toEqual(sockets.map(() => closeCodes.restart))
  const hints = closed.map(([, reason]) => readRetryHint(reason))
  for (const hint of hints) expect(hint).not.toBeNull()
  expect(Math.max(...hints.map(Number))).toBeLessThanOrEqual(MAX_RETRY_HINT_MS)
  // The probability that all of four random values out of 501 are equal is 501^-3.
  expect(new Set(hints).size).toBeGreaterThan(1)
  await closing
})

test('shutdown: waits for a stuck request only until the timeout', async () => {
  await startServer({ noticeMs: 0, timeoutMs: 200 })
  const { answer } = await startPosting()
  const closing = server.close()
  await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' })
  await closing
})
