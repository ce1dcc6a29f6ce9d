import type { TestClient } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts, sessions } from '../src/db/schema/accounts.ts'
import { alerts } from '../src/db/schema/alerts.ts'
import { apiKeys } from '../src/db/schema/api-keys.ts'
import { createWriteRequest, type RawAnswer, send } from './raw-client.ts'

/**
 * Tests that a request is refused if its caller loses the rights for it after the headers and
 * before the body.
 */

const parts = useTestDatabaseAndChain()
let server: TestServer

beforeAll(async () => {
  server = await startTestServer(parts, {})
})
afterAll(() => server?.close())

/** Sends the headers, waits until `end` has revoked the caller's rights, and sends the body. */
async function sendSlowly(
  client: TestClient,
  path: string,
  body: object,
  end: () => Promise<unknown>,
): Promise<RawAnswer> {
  const writeRequest = createWriteRequest(server.url, path, body, client.cookie())
  let markReceived = () => {}
  const headersReceived = new Promise<void>((resolve) => {
    markReceived = resolve
  })
  let sendBody = () => {}
  const answer = send(
    server.url,
    { ...writeRequest, headers: { ...writeRequest.headers, expect: '100-continue' } },
    (outgoing) => {
      sendBody = () => outgoing.end(writeRequest.body)
      outgoing.once('continue', markReceived)
      outgoing.flushHeaders()
    },
  )
  await headersReceived
  // Wait for the response to a second request. By then, the server has looked up the session of the
  // first one.
  expect((await client.call('currentUser')).user).not.toBeNull()
  await end()
  sendBody()
  return answer
}

test('slow body: a request creates no API key when its session ends before the body arrives', async () => {
  const { client, accountId } = await server.addUser()
  const { db } = server.ctx
  const body = { name: 'Bot', scopes: ['alerts'] }
  const answer = await sendSlowly(client, '/api/keys', body, () =>
    db.delete(sessions).where(eq(sessions.accountId, accountId)),
  )
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([401, 'not_signed_in'])
  expect(await db.$count(apiKeys)).toBe(0)
})

test('slow body: a request issues no alert when its sender loses the admin role before the body arrives', async () => {
  const admin = await server.signInAdmin()
  const { db } = server.ctx
  const alert = { asset: 'BTC', summary: 'Volume 4× its mean', confidence: 87.5, priority: 'high' }
  const answer = await sendSlowly(admin, '/api/alerts', alert, () => db.update(accounts).set({ role: 'user' }))
  expect(answer.status).toBe(403)
  expect(await db.$count(alerts)).toBe(0)
})
