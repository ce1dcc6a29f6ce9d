import { type ServerMessage, serverMessage } from '@tocsin/protocol'
import { startTcpProxy, type TcpProxy, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../src/features/accounts/service.ts'
import { checkLog } from '../src/features/tlog/check-log.ts'
import { listOutbox } from '../src/mail/outbox.ts'
import { createWriteRequest, openSocket, send } from './raw-client.ts'

/**
 * Tests several instances on one database. Some connect through a proxy that can drop packets
 * without a reset.
 */

const user = { email: 'trader@example.com', password: 'a password of the trader' }
const ITO = 10n ** 18n
const leaseTimes = { ttlMs: 2_000, marginMs: 500, tickMs: 100 }

const parts = useTestDatabaseAndChain()
let sharedSettings: { databaseUrl: string; anchor: TestServer['ctx']['config']['anchor'] }
let proxy: TcpProxy
let cutServer: TestServer
let otherServer: TestServer
let adminOfOther: TestClient
let trader: TestClient

beforeAll(async () => {
  const databaseUrl = await parts.database.createDatabase()
  const contract = await parts.chain.nextAnchorContract()
  sharedSettings = { databaseUrl, anchor: { ...parts.chain.settings.anchor, contract } }
  proxy = await startTcpProxy(databaseUrl)
  cutServer = await startServerBehind(proxy)
  await eventually(async () => expect(await readMetric(cutServer, 'tocsin_leads{job="payments"}')).toBe(1))
  otherServer = await startTestServer(parts, sharedSettings, { leaseTimes })
  adminOfOther = await otherServer.signInAdmin()
  await createAccount(otherServer.ctx, { ...user, name: 'Trader', role: 'user', verified: true })
  trader = otherServer.createClient()
  await trader.call('login', { body: user })
  await trader.proveWallet(parts.chain.wallet(1))
  const { transactionHash } = await parts.chain.pay({ from: 1, amountWei: 10n * ITO })
  await trader.call('subscribe', { body: { planType: '6h', transactionHash } })
})
afterAll(async () => {
  await Promise.all([cutServer?.close(), otherServer?.close()])
  await proxy?.close()
})

function startServerBehind({ url }: TcpProxy): Promise<TestServer> {
  return startTestServer(parts, { ...sharedSettings, databaseUrl: url, databaseTimeoutSeconds: 2 }, { leaseTimes })
}

async function readMetric(server: TestServer, name: string): Promise<number | null> {
  const { body } = await send(server.url, { path: '/metrics' })
  const line = body.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? null : Number(line.slice(name.length + 1))
}

async function readReadiness(
  server: TestServer,
): Promise<{ code: number; status: string; reasons: Record<string, string> }> {
  const { status, body } = await send(server.url, { path: '/readyz' })
  return { code: status, ...JSON.parse(body) }
}

async function listen(server: TestServer) {
  const socket = await openSocket(server.url, { origin: server.url, cookie: trader.cookie() })
  socket.send({ type: 'authenticate', walletAddress: parts.chain.wallet(1).account.address })
  const messages = (): ServerMessage[] => socket.frames.map((frame) => serverMessage.parse(JSON.parse(frame)))
  await expect.poll(() => messages().map(({ type }) => type)).toContain('live')
  return { ...socket, messages }
}

async function issue(summary: string): Promise<string> {
  const body = { asset: 'BTC', summary, confidence: 50, priority: 'low' } as const
  return (await adminOfOther.call('createAlert', { body })).alert.id
}

test('leader: is replaced when its database connection hangs without a TCP reset, and recovers afterwards', async () => {
  proxy.dropData()

  const id = await issue('issued while the leader was cut off')
  const { transactionHash } = await parts.chain.pay({ from: 1, amountWei: 10n * ITO })
  // The result of a read shortly before the cut is reused for up to 250 ms.
  await expect
    .poll(() => readReadiness(cutServer))
    .toMatchObject({
      code: 503,
      status: 'unavailable',
      reasons: { database: expect.stringMatching(/does not respond within 2 s|not reachable/) },
    })

  // Anchoring, payments and email continue, because the other instance runs these jobs.
  await eventually(async () => {
    const alert = (await adminOfOther.call('listAlerts')).find((one) => one.id === id)
    expect(alert?.avalancheTx).toMatch(/^0x/)
  })
  await eventually(async () => {
    const { rows } = await otherServer.ctx.db.execute(
      sql`select tx_hash from payments where tx_hash = ${transactionHash} union select tx_hash from unmatched_transfers where tx_hash = ${transactionHash}`,
    )
    expect(rows).toHaveLength(1)
  })
  await trader.call('forgotPassword', { body: { email: user.email } })
  await eventually(async () => {
    const mails = await listOutbox(otherServer.outboxDir)
    expect(mails).toContainEqual(expect.objectContaining({ to: user.email, subject: expect.stringMatching(/Reset/) }))
  })
  expect(await readMetric(cutServer, 'tocsin_leads{job="anchoring"}')).toBeNull()
  for (const job of ['anchoring', 'subscriberMails'])
    await expect.poll(() => readMetric(otherServer, `tocsin_leads{job="${job}"}`)).toBe(1)
  await expect.poll(async () => (await readReadiness(otherServer)).status).toBe('ready')

  proxy.heal()
  await expect.poll(() => readReadiness(cutServer)).toMatchObject({ code: 200, status: 'ready' })
})

// This test cuts off its own server. In the test above, the other instance may need more than 20 s
// to take over, and a server that is cut off closes its sockets after 20 s.
test('socket: is informed when its server cannot read the database, and receives missed alerts afterwards', async () => {
  const ownProxy = await startTcpProxy(sharedSettings.databaseUrl)
  const server = await startServerBehind(ownProxy)
  const socket = await listen(server)
  ownProxy.dropData()
  const id = await issue('issued while the server was cut off')

  // The open socket gets a message about the delay, and new ones are redirected to another
  // instance.
  const listDelays = () => socket.messages().flatMap((message) => (message.type === 'delayed' ? [message.since] : []))
  await expect.poll(listDelays).toHaveLength(1)
  expect(listDelays()[0]).not.toBeNull()
  await expect(openSocket(server.url, { origin: server.url, cookie: trader.cookie() })).rejects.toThrow(/503/)

  ownProxy.heal()
  await expect.poll(() => listDelays().at(-1)).toBeNull()
  const received = socket.messages().map((message) => (message.type === 'new_alert' ? message.alert.id : message.type))
  expect(received.indexOf(id)).toBeGreaterThan(-1)
  expect(received.indexOf(id)).toBeLessThan(received.lastIndexOf('delayed'))
  await expect.poll(() => readReadiness(server)).toMatchObject({ code: 200, status: 'ready' })
  const laterId = await issue('issued after the heal')
  await expect.poll(() => socket.frames.join()).toContain(laterId)
  socket.close()
  await server.close()
  await ownProxy.close()
})

test('lock timeout: a request that waits for a held lock is rejected', async () => {
  const held = await parts.database.openTransaction(
    otherServer.ctx.config.databaseUrl,
    'select 1 from log_head for update',
  )
  const body = { asset: 'BTC', summary: 'text', confidence: 50, priority: 'low' }
  const answer = await send(
    otherServer.url,
    createWriteRequest(otherServer.url, '/api/alerts', body, adminOfOther.cookie()),
  )
  expect(answer.status).toBe(503)
  expect(JSON.parse(answer.body)).toMatchObject({
    code: 'unavailable',
    message: 'Another operation is holding this up. Please try again in a moment.',
  })
  await held.release()
  await issue('works again')
})

test('readiness: reports a read-only database until it accepts writes again', async () => {
  const { databaseUrl } = otherServer.ctx.config
  const name = new URL(databaseUrl).pathname.slice(1)
  const postgresUrl = databaseUrl.replace(name, 'postgres')
  const restartSessions = async (isReadOnly: boolean) => {
    await parts.database.execute(
      postgresUrl,
      `alter database ${name} set default_transaction_read_only = ${isReadOnly}`,
    )
    await parts.database.execute(
      databaseUrl,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
  }
  await restartSessions(true)
  await expect
    .poll(() => readReadiness(otherServer))
    .toEqual({
      code: 503,
      status: 'unavailable',
      reasons: { database: 'writes fail: the database is read-only' },
    })
  await restartSessions(false)
  await expect.poll(async () => (await readReadiness(otherServer)).code).toBe(200)
})

/** Makes each insert and update fail as on a full disk. Reads and row locks still work. */
async function fillDisk(): Promise<() => Promise<void>> {
  const { db } = otherServer.ctx
  const defineCheck = (body: string) =>
    db.execute(
      sql.raw(`create or replace function check_space() returns trigger language plpgsql as $$ begin ${body}; end $$`),
    )
  await defineCheck(
    `raise exception using errcode = 'disk_full', message = 'could not extend file: No space left on device'`,
  )
  const tables = await db.execute<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public'`,
  )
  // Lock the tables one after the other. A transaction that locks all tables could deadlock with a
  // transaction of the server.
  for (const { name } of tables.rows)
    await db.execute(
      sql.raw(`create trigger check_space before insert or update on ${name} execute function check_space()`),
    )
  // Replace only the function. Dropping the triggers would need a lock on each table.
  return async () => void (await defineCheck('return null'))
}

test('disk full: writes get 503, reads work, and no acknowledged alert is lost', async () => {
  const acknowledgedIds = [await issue('before the disk was full')]
  const freeDisk = await fillDisk()
  const body = { asset: 'BTC', summary: 'on a full disk', confidence: 50, priority: 'low' }
  const answer = await send(
    otherServer.url,
    createWriteRequest(otherServer.url, '/api/alerts', body, adminOfOther.cookie()),
  )
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([503, 'unavailable'])
  await expect
    .poll(() => readReadiness(otherServer))
    .toMatchObject({ code: 503, status: 'unavailable', reasons: { database: expect.stringMatching(/^writes fail: /) } })
  expect((await send(otherServer.url, { path: '/api/alerts/public' })).status).toBe(200)
  expect((await send(otherServer.url, { path: '/healthz' })).status, 'no supervisor may restart it').toBe(200)
  await freeDisk()
  await expect.poll(async () => (await readReadiness(otherServer)).code).toBe(200)
  acknowledgedIds.push(await issue('after the disk has space'))
  const found = await adminOfOther.call('listAlerts')
  expect(acknowledgedIds.every((id) => found.some((one) => one.id === id))).toBe(true)
  expect(found.filter(({ summary }) => summary === 'on a full disk')).toEqual([])
  await checkLog(otherServer.ctx)
})
