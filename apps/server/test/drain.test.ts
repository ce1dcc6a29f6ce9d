import { Agent, request } from 'node:http'
import { closeCodes, errorBody, readRetryHint } from '@tocsin/protocol'
import type { TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestParts } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openDatabase } from '../src/db/database.ts'
import { MAX_RETRY_HINT_MS } from '../src/features/live/retry-hint.ts'
import { ownWrite, type RawAnswer, send } from './raw-client.ts'

/** Tests what clients observe while a server shuts down. */

const parts = useTestParts()
let server: TestServer
let admin: TestClient
/** Aborting this ends the drain notice period. */
let notice: AbortController

afterEach(async () => {
  notice?.abort()
  await server?.close().catch(() => {})
})

/**
 * Limit that is longer than any test, so that the test determines when the notice period and the
 * requests end.
 */
const UNLIMITED_MS = 600_000

async function start(drain = { noticeMs: UNLIMITED_MS, timeoutMs: UNLIMITED_MS }): Promise<void> {
  notice = new AbortController()
  server = await startTestServer(parts, { http: { drain } }, { endNotice: notice.signal })
  admin = await server.signInAdmin()
}

const alert = { asset: 'BTC', summary: 'Volume 4× its mean', confidence: 87.5, priority: 'high' }
const postAlert = () => send(server.url, ownWrite(server.url, '/api/alerts', alert, admin.cookie()))

/**
 * Sends the headers of a request that posts an alert. The request stays in flight until `finish`
 * sends the body.
 */
function startPosting(): Promise<{ answer: Promise<RawAnswer>; finish(): void }> {
  const post = ownWrite(server.url, '/api/alerts', alert, admin.cookie())
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
  await start()
  const { answer, finish } = await startPosting()
  const closing = server.close()
  notice.abort()
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

test('shutdown: /readyz and /healthz report it first, while requests are still served', async () => {
  await start()
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
  expect((await send(server.url, { path: '/healthz' })).status).toBe(503)
  expect((await postAlert()).status).toBe(201)
  notice.abort()
  await closing
  agent.destroy()
  expect(await countAlerts()).toBe(1)
})

test('shutdown: closes sockets with 1012 and retry hints that differ, and rejects new ones with a hint', async () => {
  await start()
  const headers = { origin: server.url, cookie: admin.cookie() }
  const open = () => new WebSocket(`${server.url.replace('http', 'ws')}/ws`, { headers })
  const sockets = Array.from({ length: 4 }, open)
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('open', resolve))))
  const allClosed = sockets.map(
    (socket) =>
      new Promise<[number, string]>((resolve) => {
        socket.once('close', (code, reason) => resolve([code, String(reason)]))
      }),
  )
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
  notice.abort()
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
  await start({ noticeMs: 0, timeoutMs: 200 })
  const { answer } = await startPosting()
  const closing = server.close()
  await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' })
  await closing
})
