import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ServerMessage, serverMessage } from '@tocsin/protocol'
import { startTcpProxy, startTestChain, startTestDatabase, type TcpProxy, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../src/features/accounts/service.ts'
import { openSocket, ownWrite, send } from './raw-client.ts'

/**
 * Two instances on one database. One connects through a proxy that can drop packets without a
 * reset.
 */

const user = { email: 'trader@example.com', password: 'a password of the trader' }
const ITO = 10n ** 18n
const leaseTimes = { ttlMs: 2_000, marginMs: 500, tickMs: 100 }

let parts: {
  database: Awaited<ReturnType<typeof startTestDatabase>>
  chain: Awaited<ReturnType<typeof startTestChain>>
}
let proxy: TcpProxy
let cut: TestServer
let other: TestServer
let adminOfOther: TestClient
let trader: TestClient

beforeAll(async () => {
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  parts = { database, chain }
  const databaseUrl = await database.createDatabase()
  proxy = await startTcpProxy(databaseUrl)
  const contract = await chain.nextAnchorContract()
  const shared = { anchor: { ...chain.settings.anchor, contract } }
  cut = await startTestServer(parts, { ...shared, databaseUrl: proxy.url, databaseTimeoutSeconds: 2 }, { leaseTimes })
  await eventually(async () => expect(await metric(cut, 'tocsin_leads{job="payments"}')).toBe(1))
  other = await startTestServer(parts, { ...shared, databaseUrl }, { leaseTimes })
  adminOfOther = await other.signInAdmin()
  await createAccount(other.ctx, { ...user, name: 'Trader', role: 'user', verified: true })
  trader = other.createClient()
  await trader.call('login', { body: user })
  await trader.proveWallet(chain.wallet(1))
  const { transactionHash } = await chain.pay({ from: 1, amountWei: 10n * ITO })
  await trader.call('subscribe', { body: { planType: '6h', transactionHash } })
})
afterAll(async () => {
  await Promise.all([cut?.close(), other?.close()])
  await proxy?.close()
  await Promise.all([parts?.database.stop(), parts?.chain.stop()])
})

async function metric(server: TestServer, name: string): Promise<number | null> {
  const { body } = await send(server.url, { path: '/metrics' })
  const line = body.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? null : Number(line.slice(name.length + 1))
}

async function readiness(
  server: TestServer,
): Promise<{ code: number; status: string; reasons: Record<string, string> }> {
  const { status, body } = await send(server.url, { path: '/readyz' })
  return { code: status, ...JSON.parse(body) }
}

async function listen(server: TestServer) {
  const socket = await openSocket(server.url, { origin: server.url, cookie: trader.cookie() })
  socket.say({ type: 'authenticate', walletAddress: parts.chain.wallet(1).account.address })
  const heard = (): ServerMessage[] => socket.frames.map((frame) => serverMessage.parse(JSON.parse(frame)))
  await expect.poll(() => heard().map(({ type }) => type)).toContain('live')
  return { ...socket, heard }
}

async function issue(summary: string): Promise<string> {
  const body = { asset: 'BTC', summary, confidence: 50, priority: 'low' } as const
  return (await adminOfOther.call('createAlert', { body })).alert.id
}

async function countReceipts(): Promise<number> {
  return (await readMails()).filter((mail) => mail.includes(`To: ${user.email}`)).length
}

async function readMails(): Promise<string[]> {
  const folders = [cut.outboxDir, other.outboxDir]
  const files = await Promise.all(folders.map(async (dir) => (await readdir(dir)).map((name) => join(dir, name))))
  return Promise.all(files.flat().map((path) => readFile(path, 'utf8')))
}

test('leader: is replaced, reports the outage and recovers when its database connection is cut without a reset', async () => {
  const socket = await listen(cut)
  const before = await countReceipts()
  proxy.blackHole()

  const id = await issue('issued while the leader was cut off')
  const { transactionHash } = await parts.chain.pay({ from: 1, amountWei: 10n * ITO })
  const unready = await readiness(cut)
  expect([unready.code, unready.status]).toEqual([503, 'unavailable'])
  expect(unready.reasons.database).toMatch(/does not answer within 2 s|not reachable/)

  // Anchoring, payments and mail continue on the other instance.
  await eventually(async () => {
    const [alert] = await adminOfOther.call('listAlerts')
    expect(alert?.avalancheTx).toMatch(/^0x/)
  })
  await eventually(async () => {
    const { rows } = await other.ctx.db.execute(
      sql`select tx_hash from payments where tx_hash = ${transactionHash} union select tx_hash from unmatched_transfers where tx_hash = ${transactionHash}`,
    )
    expect(rows).toHaveLength(1)
  })
  await expect.poll(countReceipts).toBeGreaterThan(before)
  expect(await metric(cut, 'tocsin_leads{job="anchoring"}')).toBeNull()
  expect(await metric(other, 'tocsin_leads{job="anchoring"}')).toBe(1)
  expect((await readiness(other)).status).toBe('ready')

  // The open socket is informed, and new ones are redirected to another instance.
  const delays = () => socket.heard().flatMap((message) => (message.type === 'delayed' ? [message.since] : []))
  await expect.poll(delays).toHaveLength(1)
  expect(delays()[0]).not.toBeNull()
  await expect(openSocket(cut.url, { origin: cut.url, cookie: trader.cookie() })).rejects.toThrow(/503/)

  proxy.heal()
  await expect.poll(() => delays().at(-1)).toBeNull()
  const received = socket.heard().map((message) => (message.type === 'new_alert' ? message.alert.id : message.type))
  expect(received.indexOf(id)).toBeGreaterThan(-1)
  expect(received.indexOf(id)).toBeLessThan(received.lastIndexOf('delayed'))
  await expect.poll(() => readiness(cut)).toMatchObject({ code: 200, status: 'ready' })
  const afterwards = await issue('issued after the heal')
  await expect.poll(() => socket.frames.join()).toContain(afterwards)
  socket.close()
})

test('lock timeout: a request that waits for a held lock is rejected', async () => {
  const held = await parts.database.hold(other.ctx.config.databaseUrl, 'select 1 from log_head for update')
  const body = { asset: 'BTC', summary: 'text', confidence: 50, priority: 'low' }
  const answer = await send(other.url, ownWrite(other.url, '/api/alerts', body, adminOfOther.cookie()))
  expect(answer.status).toBe(503)
  expect(JSON.parse(answer.body)).toMatchObject({
    code: 'unavailable',
    message: 'Another operation is holding this up. Please try again in a moment.',
  })
  await held.release()
  await issue('works again')
})

test('readiness: reports a read-only database until it accepts writes again', async () => {
  const { databaseUrl } = other.ctx.config
  const name = new URL(databaseUrl).pathname.slice(1)
  const elsewhere = databaseUrl.replace(name, 'postgres')
  const restartSessions = async (isReadOnly: boolean) => {
    await parts.database.execute(elsewhere, `alter database ${name} set default_transaction_read_only = ${isReadOnly}`)
    await parts.database.execute(
      databaseUrl,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
  }
  await restartSessions(true)
  await expect
    .poll(() => readiness(other))
    .toEqual({
      code: 503,
      status: 'unavailable',
      reasons: { database: 'writes fail: the database is read-only' },
    })
  await restartSessions(false)
  await expect.poll(async () => (await readiness(other)).code).toBe(200)
})
