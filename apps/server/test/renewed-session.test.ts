import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { alertMarkedWith } from './access-matrix.ts'
import { openSocket } from './raw-client.ts'

/**
 * A session whose id is renewed, or which loses a wallet, while its socket is open. Uses the whole
 * server.
 */

let parts: {
  database: Awaited<ReturnType<typeof startTestDatabase>>
  chain: Awaited<ReturnType<typeof startTestChain>>
}
let server: TestServer

beforeAll(async () => {
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  parts = { database, chain }
  server = await startTestServer(parts)
})
afterAll(async () => {
  await server?.close()
  await Promise.all([parts?.database.stop(), parts?.chain.stop()])
})

test('session renewal: keeps the socket open, closes it when the wallet is unlinked, and invalidates the old cookie', async () => {
  const admin = await server.signInAdmin()
  const [first, second] = [parts.chain.wallet(1), parts.chain.wallet(2)]
  await admin.proveWallet(first)
  const oldCookie = admin.cookie()
  const socket = await openSocket(server.url, { origin: server.url, cookie: oldCookie })
  socket.say({ type: 'authenticate', walletAddress: first.account.address })
  await expect.poll(() => socket.frames.join()).toContain('"live"')

  await admin.proveWallet(second)
  await admin.call('confirm', { body: { password: server.firstAdmin.password } })
  expect(admin.cookie()).not.toBe(oldCookie)
  await expect(openSocket(server.url, { origin: server.url, cookie: oldCookie })).rejects.toThrow('401')
  // A notification may be lost, so everything is checked again.
  await server.ctx.wake.notify(server.ctx.db, 'session')
  await server.ctx.wake.notify(server.ctx.db, 'entitlement')
  await admin.call('createAlert', { body: { ...alertMarkedWith('zqrenewedqz'), broadcast: true } })
  await expect.poll(() => socket.frames.join()).toContain('zqrenewedqz')
  expect(socket.closeCode()).toBeNull()

  await admin.call('unlinkWallet', { params: { address: first.account.address } })
  await expect.poll(() => socket.closeCode()).not.toBeNull()
  const { rows } = await server.ctx.db.execute(sql`select address from wallet_proofs`)
  expect(rows).toEqual([{ address: second.account.address }])
})
