import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { alertMarkedWith } from './access-matrix.ts'
import { openSocket } from './raw-client.ts'

/**
 * Tests a session whose id is renewed, or which loses a wallet, while its socket is open. Uses the
 * whole server.
 */

const parts = useTestDatabaseAndChain()
let server: TestServer

beforeAll(async () => {
  server = await startTestServer(parts)
})
afterAll(() => server?.close())

test('session renewal: invalidates the old cookie, and keeps the socket open until the wallet is unlinked', async () => {
  const admin = await server.signInAdmin()
  const [first, second] = [parts.chain.wallet(1), parts.chain.wallet(2)]
  await admin.proveWallet(first)
  const oldCookie = admin.cookie()
  const socket = await openSocket(server.url, { origin: server.url, cookie: oldCookie })
  socket.send({ type: 'authenticate', walletAddress: first.account.address })
  await expect.poll(() => socket.frames.join()).toContain('"live"')

  await admin.proveWallet(second)
  await admin.call('confirm', { body: { password: server.firstAdmin.password } })
  expect(admin.cookie()).not.toBe(oldCookie)
  await expect(openSocket(server.url, { origin: server.url, cookie: oldCookie })).rejects.toThrow('401')
  // Simulate a reconnect of the connection for notifications: the server then rechecks all sockets,
  // because notifications may have been lost. The renewed session must pass this check.
  await server.ctx.notifications.notify(server.ctx.db, 'session')
  await server.ctx.notifications.notify(server.ctx.db, 'entitlement')
  await admin.call('createAlert', { body: { ...alertMarkedWith('zqrenewedqz'), broadcast: true } })
  await expect.poll(() => socket.frames.join()).toContain('zqrenewedqz')
  expect(socket.closeCode()).toBeNull()

  await admin.call('unlinkWallet', { params: { address: first.account.address } })
  await expect.poll(() => socket.closeCode()).not.toBeNull()
  const { rows } = await server.ctx.db.execute(sql`select address from wallet_proofs`)
  expect(rows).toEqual([{ address: second.account.address }])
})

/**
 * Renews the session of a browser that lost the responses with its new cookies and still sends the
 * cookie of the sign-in.
 */
async function renewWithoutResponse(times: number) {
  const browser = server.createClient()
  const createHeaders = (cookie: string) => ({ 'content-type': 'application/json', origin: server.url, cookie })
  const post = (path: string, cookie: string, body: object) =>
    fetch(`${server.url}${path}`, { method: 'POST', headers: createHeaders(cookie), body: JSON.stringify(body) })
  await browser.call('login', { body: server.firstAdmin })
  const oldCookie = browser.cookie()
  let cookie = oldCookie
  for (let time = 0; time < times; time++) {
    const renewedResponse = await post('/api/auth/confirm', cookie, { password: server.firstAdmin.password })
    expect(renewedResponse.status).toBe(200)
    cookie = renewedResponse.headers.getSetCookie().join().split(';')[0] ?? ''
    expect(cookie).not.toBe(oldCookie)
  }
  const findUser = async () => (await fetch(`${server.url}/api/auth/user`, { headers: { cookie } })).json()
  return { oldCookie, cookie, post, findUser }
}

test.each([1, 2])(
  'session renewal: a logout ends the session after %i renewals that did not reach the browser',
  async (times) => {
    const { oldCookie, cookie, post, findUser } = await renewWithoutResponse(times)
    const socket = await openSocket(server.url, { origin: server.url, cookie })
    expect(await findUser()).toMatchObject({ success: true })
    expect((await post('/api/auth/logout', oldCookie, {})).status).toBe(200)
    expect(await findUser()).toMatchObject({ success: false, user: null })
    await expect.poll(() => socket.closeCode()).not.toBeNull()
  },
)

test('session renewal: a sign-in ends the renewed session when the browser still sends the old cookie', async () => {
  const { oldCookie, post, findUser } = await renewWithoutResponse(1)
  expect((await post('/api/auth/login', oldCookie, server.firstAdmin)).status).toBe(200)
  expect(await findUser()).toMatchObject({ success: false, user: null })
})
