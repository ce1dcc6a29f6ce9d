import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { serverMessage } from '@tocsin/protocol'
import { fakeClock, type TestClient, testAnchorer } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { and, eq, gt, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Job } from '../src/db/leader.ts'
import { accounts } from '../src/db/schema/accounts.ts'
import { leases } from '../src/db/schema/server.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { findFreePort } from '../src/http/free-port.ts'
import { createServer } from '../src/server.ts'
import { createWriteRequest, openSocket, send } from './raw-client.ts'

/**
 * Tests that two servers on one database and one chain act as one product: changes on one take
 * effect on the other, and jobs run once.
 */

const user = { email: 'trader@example.com', password: 'a password of the trader' }
const ITO = 10n ** 18n
/** The clock of both instances. */
const clock = fakeClock(new Date())

const parts = useTestDatabaseAndChain()
let first: TestServer
let second: TestServer
let adminOfFirst: TestClient
let trader: TestClient

beforeAll(async () => {
  first = await startTestServer(parts, {}, { clock })
  await eventually(async () => expect(await readHolder('anchoring')).not.toBeNull())
  // Deletes the first admin, so that the second start creates one while another instance is leader.
  // A start must not wait for leadership.
  await first.ctx.db.delete(accounts)
  second = await startTestServer(parts, { databaseUrl: first.ctx.config.databaseUrl }, { clock })
  adminOfFirst = await first.signInAdmin()
  await createAccount(first.ctx, { ...user, name: 'Trader', role: 'user', verified: true })
  trader = first.createClient()
  await trader.call('login', { body: user })
  await trader.proveWallet(parts.chain.wallet(1))
  const { transactionHash } = await parts.chain.pay({ from: 1, amountWei: 10n * ITO })
  await trader.call('subscribe', { body: { planType: '6h', transactionHash } })
})
afterAll(() => Promise.all([first?.close(), second?.close()]))

/** Returns the instance that holds the lease of a job. */
async function readHolder(job: Job): Promise<string | null> {
  const { ctx } = second ?? first
  const rows = await ctx.db
    .select({ holder: leases.holder })
    .from(leases)
    .where(and(eq(leases.job, job), gt(leases.expiresAt, sql`clock_timestamp()`)))
  return rows[0]?.holder ?? null
}

async function issueAlerts(admin: TestClient, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const body = { asset: `A${index}`, summary: 'text', confidence: 50, priority: 'low' } as const
    ids.push((await admin.call('createAlert', { body })).alert.id)
  }
  return ids
}

/** Returns the log sizes that the contract has anchored, oldest first. */
async function listAnchoredSizes(): Promise<number[]> {
  const { client, anchorContract } = parts.chain
  const events = await client.getContractEvents({
    address: anchorContract,
    abi: alertAnchorAbi,
    eventName: 'Anchored',
    fromBlock: 0n,
  })
  return events.map(({ args }) => Number(args.size))
}

async function expectOneAnchorPerHead(size: number): Promise<void> {
  await expect.poll(async () => (await listAnchoredSizes()).at(-1)).toBe(size)
  const sizes = await listAnchoredSizes()
  expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => a - b))
  // Every anchoring transaction has anchored a new size.
  expect(await parts.chain.client.getTransactionCount({ address: testAnchorer })).toBe(sizes.length)
}

test('two instances: alerts issued on one reach sockets on the other once and in order', async () => {
  const socket = await openSocket(second.url, { origin: second.url, cookie: trader.cookie() })
  socket.send({ type: 'authenticate', walletAddress: parts.chain.wallet(1).account.address })
  await expect.poll(() => socket.frames.join()).toContain('"live"')
  const ids = await issueAlerts(adminOfFirst, 10)
  // If the second instance reads an alert late, its first message already contains the proof. The
  // alert is still sent again as an update.
  const getAlerts = (kind: 'new' | 'update') =>
    socket.frames.flatMap((frame) => {
      const message = serverMessage.parse(JSON.parse(frame))
      const isWanted = message.type === 'new_alert' && (message.isUpdate === true) === (kind === 'update')
      return isWanted ? [message.alert] : []
    })
  await expect.poll(() => getAlerts('new').map(({ id }) => id)).toEqual(ids)
  await expectOneAnchorPerHead(11)
  await expect.poll(() => getAlerts('update').map(({ id }) => id)).toEqual(ids)
  for (const { avalancheTx } of getAlerts('update')) expect(avalancheTx).toMatch(/^0x/)
  expect(getAlerts('new')).toHaveLength(10)
  socket.close()
})

test('two instances: an alert and a sign-out reach the other instance even if database notifications are lost', async () => {
  const listener = await openSocket(second.url, { origin: second.url, cookie: trader.cookie() })
  listener.send({ type: 'authenticate', walletAddress: parts.chain.wallet(1).account.address })
  await expect.poll(() => listener.frames.join()).toContain('"live"')
  const leaver = await first.signInAdmin()
  const leaverSocket = await openSocket(second.url, { origin: second.url, cookie: leaver.cookie() })
  await first.ctx.db.execute(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where query like 'listen %' and datname = current_database()`)
  const [id = ''] = await issueAlerts(adminOfFirst, 1)
  await leaver.call('logout')
  await expect.poll(() => listener.frames.join()).toContain(id)
  await expect.poll(() => leaverSocket.closeCode()).toBe(4401)
  listener.close()
})

test('two instances: alerts issued concurrently get consecutive log indexes, and no tree size is anchored twice', async () => {
  const adminOfSecond = await second.signInAdmin()
  await Promise.all([issueAlerts(adminOfFirst, 10), issueAlerts(adminOfSecond, 10)])
  const alerts = await adminOfSecond.call('listAlerts')
  // Entry 0 is a key list, so the first alert has index 1.
  expect(alerts.map(({ logIndex }) => logIndex)).toEqual(Array.from({ length: 31 }, (_, index) => 31 - index))
  await expectOneAnchorPerHead(32)
})

test('two instances: a session is valid on both, and signing out on one closes its socket on the other', async () => {
  const cookie = trader.cookie()
  const readSignedInUser = async () =>
    JSON.parse((await send(second.url, { path: '/api/auth/user', headers: { cookie } })).body).user
  expect((await readSignedInUser()).email).toBe(user.email)
  expect((await readSignedInUser()).provedWallets).toHaveLength(1)
  const socket = await openSocket(second.url, { origin: second.url, cookie })
  await trader.call('logout')
  await expect.poll(() => socket.closeCode()).toBe(4401)
  expect(await readSignedInUser()).toBeNull()
})

test('two instances: failed password attempts on either instance count toward one rate limit', async () => {
  const guess = (server: TestServer) =>
    send(server.url, createWriteRequest(server.url, '/api/auth/login', { ...user, password: 'wrong' }))
  for (const server of [first, second, first, second, first]) expect((await guess(server)).status).toBe(401)
  for (const server of [second, first]) {
    const answer = await guess(server)
    expect(answer.status).toBe(429)
    expect(answer.headers['retry-after']).toBe('2')
  }
  clock.advance(2_000)
  const outcomes = await Promise.all([first, second, first, second].map(guess))
  expect(outcomes.map(({ status }) => status).sort()).toEqual([401, 429, 429, 429])
})

async function isLeadingAnchoring({ url }: TestServer): Promise<boolean> {
  return (await send(url, { path: '/metrics' })).body.includes('tocsin_leads{job="anchoring"} 1')
}

test('two instances: the remaining instance anchors the log when the anchoring instance stops', async () => {
  // The first instance began to anchor, but the second one takes over when the first one stalls.
  const [isFirstLeading] = await eventually(async () => {
    const areLeading = await Promise.all([first, second].map(isLeadingAnchoring))
    expect(areLeading).toContain(true)
    return areLeading
  })
  if (!isFirstLeading) [first, second] = [second, first]
  const leader = await readHolder('anchoring')
  expect(leader).not.toBeNull()
  const admin = await second.signInAdmin()
  await first.close()
  await issueAlerts(admin, 1)
  await eventually(async () => expect((await admin.call('listAlerts'))[0]?.avalancheTx).toMatch(/^0x/))
  expect(await readHolder('anchoring')).not.toBe(leader)
  await expectOneAnchorPerHead(33)
  await eventually(async () => {
    const { body } = await send(second.url, { path: '/readyz' })
    expect(JSON.parse(body)).toEqual({ status: 'ready', reasons: {} })
  })
})

test('two instances: no tree size is anchored twice when all database connections break', async () => {
  first = await startTestServer(parts, { databaseUrl: second.ctx.config.databaseUrl }, { clock })
  const admin = await first.signInAdmin()
  await issueAlerts(admin, 5)
  await parts.database.execute(
    second.ctx.config.databaseUrl,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await expectOneAnchorPerHead(38)
  await eventually(async () => expect(await readHolder('anchoring')).not.toBeNull())
})

test('server start: the setup link of the first admin is shown by the next start when a start fails', async () => {
  const { config } = first.ctx
  const contract = await parts.chain.nextAnchorContract()
  const databaseUrl = await parts.database.createDatabase()
  const freshConfig = { ...config, databaseUrl, firstAdmin: null, anchor: { ...config.anchor, contract } }
  await expect(createServer(freshConfig), 'the port is in use').rejects.toThrow(/port/i)
  const http = { ...config.http, port: await findFreePort() }
  const started = await createServer({ ...freshConfig, http })
  expect(started.firstAdminLink?.link).toMatch(/#setup=/)
  await started.close()
})

test('server start: the first admin stays exempt from the second factor when the exempt email setting changes', async () => {
  const adminFactor = { isRequired: true, exemptEmail: 'later@example.com' }
  const { databaseUrl } = first.ctx.config
  const third = await startTestServer(parts, { databaseUrl, adminFactor }, { clock })
  expect(third.ctx.config.adminFactor.exemptEmail).toBe(third.firstAdmin.email)
  await third.close()
})
