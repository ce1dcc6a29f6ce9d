import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { orders } from '../src/db/schema/payments.ts'
import { followReportedTransactions } from '../src/features/payments/follow-order.ts'
import { watchPayments } from '../src/features/payments/watcher.ts'
import { assertLedger, cancelOrder, makeOrder, payPending, readOrder, reportHash, watch } from './order-fixture.ts'
import { bert, box, chain, clock, payIto, readRefusal, setPaymentFixture } from './payment-fixture.ts'

/**
 * Tests reports of unknown transactions in numbers as in an attack. Counts the requests to the node
 * instead of measuring time.
 */

setPaymentFixture()

type Ctx = TestContext['ctx']
interface Request {
  calls: { method: string; params: unknown[] }[]
}

let node: Server
let seen: Request[]
/** Hashes about which the node never responds. */
let silentAbout: ReadonlySet<string>
let site: TestContext
let ctx: Ctx

beforeEach(async () => {
  seen = []
  silentAbout = new Set()
  node = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    const calls = [JSON.parse(body)].flat()
    seen.push({ calls })
    if (calls.some(({ params }) => silentAbout.has(String(params?.[0])))) return
    const answer = await fetch(chain.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    response.setHeader('content-type', 'application/json').end(await answer.text())
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  const rpcUrls = [`http://127.0.0.1:${(node.address() as AddressInfo).port}`]
  const { databaseUrl, payment } = box.ctx.config
  site = await createTestContext(testConfig({ databaseUrl, payment: { ...payment, rpcUrls } }), clock)
  ctx = site.ctx
})
afterEach(async () => {
  node.closeAllConnections()
  node.close()
  await site.close()
})

const getReads = (method: string) => seen.flatMap(({ calls }) => calls).filter((call) => call.method === method)
const getHash = (index: number) => `0x${index.toString(16).padStart(64, '0')}` as const

/** Inserts orders of accounts that an attacker has created, five per account. */
async function insertOrders(count: number, hint: (index: number) => Partial<typeof orders.$inferInsert>) {
  const at = clock.now()
  const people = Array.from({ length: Math.ceil(count / 5) }, (_, index) => ({
    name: `stranger ${index}`,
    createdAt: at,
  }))
  const made = await box.ctx.db.insert(accounts).values(people).returning({ id: accounts.id })
  const rows = Array.from({ length: count }, (_, index) => ({
    accountId: made[Math.floor(index / 5)]?.id ?? null,
    planId: '6h' as const,
    priceWei: 10n ** 19n,
    chainId: chain.chainId,
    token: chain.token,
    treasury: chain.treasury,
    payer: `0x${(index + 1).toString(16).padStart(40, '5')}` as const,
    path: 'transfer' as const,
    createdAt: at,
    expiresAt: new Date(at.getTime() + HOUR_MS / 2),
    watchedUntil: new Date(at.getTime() + 24 * HOUR_MS),
    ...hint(index),
  }))
  return box.ctx.db.insert(orders).values(rows).returning()
}
const unknownHint = (index: number) => ({ txHash: getHash(index + 1), txState: 'seen' as const, txSeenAt: clock.now() })

test('the watcher credits a payment although the node never responds about 600 reported transactions', async () => {
  const hints = await insertOrders(600, unknownHint)
  silentAbout = new Set(hints.map(({ txHash }) => String(txHash)))
  const woken = new Promise<string>((resolve) => ctx.notifications.on('entitlement', resolve))
  const queried = new Promise<void>((resolve) => {
    node.on('request', () => {
      if (seen.some(({ calls }) => calls.some(({ params }) => silentAbout.has(String(params?.[0]))))) resolve()
    })
  })
  const stop = new AbortController()
  const watching = watchPayments(ctx, stop.signal)
  await queried
  await payIto(2, '10')
  expect(await woken).toBe(bert)
  stop.abort()
  silentAbout = new Set()
  node.closeAllConnections()
  await watching
  await assertLedger()
})

describe('reading reported transactions', () => {
  test('reads at most 50 transactions per run in few requests, and each transaction with backoff', async () => {
    await insertOrders(600, unknownHint)
    const rounds = 60
    let reads = 0
    for (let round = 0; round < rounds; round++) {
      seen = []
      await followReportedTransactions(ctx)
      const receipts = getReads('eth_getTransactionReceipt').length
      expect(receipts).toBeLessThanOrEqual(50)
      expect(seen.length).toBeLessThanOrEqual(6)
      reads += receipts
      clock.advance(2_000)
    }
    const rows = await box.ctx.db.select().from(orders)
    expect(Math.min(...rows.map(({ hintReads }) => hintReads))).toBeGreaterThan(0)
    expect(reads).toBe(rows.reduce((sum, { hintReads }) => sum + hintReads, 0))
    // In two minutes, reads are possible after 0, 2, 6, 14, 30, 62 and 122 s at the earliest.
    expect(Math.max(...rows.map(({ hintReads }) => hintReads))).toBeLessThanOrEqual(6)
  })

  test('reads a transaction once when many orders report it', async () => {
    await insertOrders(40, () => ({ ...unknownHint(1) }))
    await followReportedTransactions(ctx)
    expect(getReads('eth_getTransactionReceipt')).toHaveLength(1)
  })

  test('skips cancelled and expired orders and rejects reports for them', async () => {
    const past = new Date(clock.now().getTime() - 1)
    const rows = await insertOrders(4, (index) => ({
      ...unknownHint(index),
      ...(index % 2 ? { cancelledAt: past } : { expiresAt: past }),
    }))
    await followReportedTransactions(ctx)
    expect(seen).toEqual([])
    const states = await Promise.all(rows.map(async ({ id, accountId }) => readOrder(id, { ctx, by: accountId ?? '' })))
    expect(states.map(({ status }) => status)).toEqual(['expired', 'cancelled', 'expired', 'cancelled'])

    const order = await makeOrder('6h', { ctx })
    await cancelOrder(order.id, { ctx })
    expect(await reportHash(order.id, getHash(9), { ctx })).toMatchObject({
      status: 'cancelled',
      transactionHash: null,
    })
    // A payment that is mined anyway is credited, even if it was not reported.
    const { transactionHash } = await payIto(1, '10')
    expect(await reportHash(order.id, transactionHash, { ctx })).toMatchObject({ status: 'paid' })
    await assertLedger()
  })
})

describe('a report without a payment', () => {
  const report = (order: typeof orders.$inferSelect, hash: string, ip: string) =>
    reportHash(order.id, hash, { ctx, by: order.accountId ?? '', ip })
  const refused = { code: 'too_many_requests', message: expect.stringMatching(/found without a report/) }

  test('is rejected after ten unknown transactions for one order, which can still be paid', async () => {
    const order = await makeOrder('6h', { ctx })
    for (let index = 1; index <= 10; index++) await reportHash(order.id, getHash(index), { ctx })
    expect(await readRefusal(reportHash(order.id, getHash(11), { ctx }))).toMatchObject(refused)
    expect(await reportHash(order.id, (await payIto(1, '10')).transactionHash, { ctx })).toMatchObject({
      status: 'paid',
    })
  })

  test('is rejected after five unknown transactions of one account, and after thirty from one network', async () => {
    const many = await insertOrders(36, () => ({}))
    const [first] = many
    const [sixth] = await box.ctx.db
      .insert(orders)
      .values({ ...(first as typeof orders.$inferInsert), id: undefined })
      .returning()
    for (const [index, order] of many.slice(0, 5).entries()) await report(order, getHash(index + 1), '192.0.2.7')
    if (!sixth) throw new Error('No order')
    expect(await readRefusal(report(sixth, getHash(99), '192.0.2.8'))).toMatchObject(refused)
    for (const [index, order] of many.slice(5, 30).entries()) await report(order, getHash(index + 6), '192.0.2.7')
    const [next] = many.slice(30)
    if (!next) throw new Error('No order')
    expect(await readRefusal(report(next, getHash(98), '192.0.2.7'))).toMatchObject(refused)
    expect(await report(next, getHash(98), '192.0.2.8')).toMatchObject({ status: 'seen' })
    expect(await box.ctx.db.$count(orders)).toBe(37)
    const { txHash } = (await box.ctx.db.select().from(orders)).find(({ id }) => id === next.id) ?? {}
    expect(txHash).toBe(getHash(98))
  })

  test('is rejected after thirty from one IPv6 /48, however many networks it has', async () => {
    const many = await insertOrders(31, () => ({}))
    const outcomes = []
    for (const [index, order] of many.entries()) {
      outcomes.push(await readRefusal(report(order, getHash(index + 1), `2001:db8:1:${index}::1`)).catch(() => null))
    }
    expect(outcomes.slice(0, 30)).toEqual(Array(30).fill(null))
    expect(outcomes[30]).toMatchObject(refused)
  })

  test('is rejected at the same limits when reports are concurrent', async () => {
    const [crowd, alone] = [await insertOrders(40, () => ({})), await makeOrder('6h', { ctx })]
    const count = async (reports: Promise<unknown>[]) => {
      const outcomes = await Promise.allSettled(reports)
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(refused)
      return outcomes.filter(({ status }) => status === 'fulfilled').length
    }
    expect(await count(crowd.map((order, index) => report(order, getHash(index + 1), '192.0.2.7')))).toBe(30)
    const networks = Array.from({ length: 16 }, (_, index) => `198.51.100.${index}`)
    const tries = networks.map((ip, index) => reportHash(alone.id, getHash(100 + index), { ctx, ip }))
    expect(await count(tries)).toBe(10)
  })

  test('is checked at growing intervals when it names a pending transaction of another account', async () => {
    const order = await makeOrder('6h', { ctx })
    await chain.control.setAutomine(false)
    const foreign = await payPending(2, '10')
    expect(await reportHash(order.id, foreign, { ctx })).toMatchObject({ status: 'seen' })
    await watch(ctx)
    await chain.control.setAutomine(true)
    await chain.mine()
    clock.advance(2_000)
    await watch(ctx)
    expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'open', transactionHash: null })
    await assertLedger()
  })
})
