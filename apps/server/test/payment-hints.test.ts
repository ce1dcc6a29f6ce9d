import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { orders } from '../src/db/schema/payments.ts'
import { followReportedTransactions } from '../src/features/payments/follow-order.ts'
import { watchPayments } from '../src/features/payments/watcher.ts'
import {
  assertLedger,
  cancelOrder,
  makeOrder,
  readOrder,
  reportHash,
  runWatcherRound,
  sendPendingPayment,
} from './order-fixture.ts'
import { bert, box, chain, clock, payIto, readRefusal, setPaymentFixture } from './payment-fixture.ts'

/**
 * Tests floods of reports of unknown transactions. Counts the requests to the node instead of
 * measuring time.
 */

setPaymentFixture()

type Ctx = TestContext['ctx']
interface Request {
  calls: { method: string; params: unknown[] }[]
}

let node: Server
let seenRequests: Request[]
/** The node never responds to requests about transactions with these hashes. */
let silentAbout: ReadonlySet<string>
let nodeContext: TestContext
let ctx: Ctx

beforeEach(async () => {
  seenRequests = []
  silentAbout = new Set()
  node = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    const calls = [JSON.parse(body)].flat()
    seenRequests.push({ calls })
    if (calls.some(({ params }) => silentAbout.has(String(params?.[0])))) return
    const answer = await fetch(chain.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    response.setHeader('content-type', 'application/json').end(await answer.text())
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  const rpcUrls = [`http://127.0.0.1:${(node.address() as AddressInfo).port}`]
  const { databaseUrl, payment } = box.ctx.config
  nodeContext = await createTestContext(testConfig({ databaseUrl, payment: { ...payment, rpcUrls } }), clock)
  ctx = nodeContext.ctx
})
afterEach(async () => {
  node.closeAllConnections()
  node.close()
  await nodeContext.close()
})

const listCalls = (method: string) =>
  seenRequests.flatMap(({ calls }) => calls).filter((call) => call.method === method)
const getHash = (index: number) => `0x${index.toString(16).padStart(64, '0')}` as const

/** Inserts orders of accounts that an attacker has created, five per account. */
async function insertOrders(count: number, hint: (index: number) => Partial<typeof orders.$inferInsert>) {
  const at = clock.now()
  const accountRows = Array.from({ length: Math.ceil(count / 5) }, (_, index) => ({
    name: `stranger ${index}`,
    createdAt: at,
  }))
  const made = await box.ctx.db.insert(accounts).values(accountRows).returning({ id: accounts.id })
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
const createUnknownHint = (index: number) => ({
  txHash: getHash(index + 1),
  txState: 'seen' as const,
  txSeenAt: clock.now(),
})

test('the watcher credits a payment although the node never responds about 600 reported transactions', async () => {
  const hintedOrders = await insertOrders(600, createUnknownHint)
  silentAbout = new Set(hintedOrders.map(({ txHash }) => String(txHash)))
  const notifiedKey = new Promise<string>((resolve) => ctx.notifications.on('entitlement', resolve))
  const queried = new Promise<void>((resolve) => {
    node.on('request', () => {
      if (seenRequests.some(({ calls }) => calls.some(({ params }) => silentAbout.has(String(params?.[0]))))) resolve()
    })
  })
  const stop = new AbortController()
  const watching = watchPayments(ctx, stop.signal)
  await queried
  await payIto(2, '10')
  expect(await notifiedKey).toBe(bert)
  stop.abort()
  silentAbout = new Set()
  node.closeAllConnections()
  await watching
  await assertLedger()
})

describe('reading reported transactions', () => {
  test('reads at most 50 transactions per run in few requests, and each transaction with backoff', async () => {
    await insertOrders(600, createUnknownHint)
    const rounds = 60
    let readCount = 0
    for (let round = 0; round < rounds; round++) {
      seenRequests = []
      await followReportedTransactions(ctx)
      const receipts = listCalls('eth_getTransactionReceipt').length
      expect(receipts).toBeLessThanOrEqual(50)
      expect(seenRequests.length).toBeLessThanOrEqual(6)
      readCount += receipts
      clock.advance(2_000)
    }
    const rows = await box.ctx.db.select().from(orders)
    expect(Math.min(...rows.map(({ hintReads }) => hintReads))).toBeGreaterThan(0)
    expect(readCount).toBe(rows.reduce((sum, { hintReads }) => sum + hintReads, 0))
    // Reads are possible after 0, 2, 6, 14, 30, 62 and 122 s at the earliest, so at most six reads
    // happen within two minutes.
    expect(Math.max(...rows.map(({ hintReads }) => hintReads))).toBeLessThanOrEqual(6)
  })

  test('reads a transaction once when many orders report it', async () => {
    await insertOrders(40, () => ({ ...createUnknownHint(1) }))
    await followReportedTransactions(ctx)
    expect(listCalls('eth_getTransactionReceipt')).toHaveLength(1)
  })

  test('skips cancelled and expired orders, and ignores unmined transactions reported for them', async () => {
    const pastTime = new Date(clock.now().getTime() - 1)
    const rows = await insertOrders(4, (index) => ({
      ...createUnknownHint(index),
      ...(index % 2 ? { cancelledAt: pastTime } : { expiresAt: pastTime }),
    }))
    await followReportedTransactions(ctx)
    expect(seenRequests).toEqual([])
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
  const reportFrom = (order: typeof orders.$inferSelect, hash: string, ip: string) =>
    reportHash(order.id, hash, { ctx, by: order.accountId ?? '', ip })
  const tooManyReports = { code: 'too_many_requests', message: expect.stringMatching(/found without a report/) }

  test('is rejected after ten unknown transactions for one order, which can still be paid', async () => {
    const order = await makeOrder('6h', { ctx })
    for (let index = 1; index <= 10; index++) await reportHash(order.id, getHash(index), { ctx })
    expect(await readRefusal(reportHash(order.id, getHash(11), { ctx }))).toMatchObject(tooManyReports)
    expect(await reportHash(order.id, (await payIto(1, '10')).transactionHash, { ctx })).toMatchObject({
      status: 'paid',
    })
  })

  test('is rejected after five unknown transactions of one account, and after thirty from one network', async () => {
    const strangerOrders = await insertOrders(36, () => ({}))
    const [first] = strangerOrders
    const [sixthOrder] = await box.ctx.db
      .insert(orders)
      .values({ ...(first as typeof orders.$inferInsert), id: undefined })
      .returning()
    for (const [index, order] of strangerOrders.slice(0, 5).entries())
      await reportFrom(order, getHash(index + 1), '192.0.2.7')
    if (!sixthOrder) throw new Error('No order')
    expect(await readRefusal(reportFrom(sixthOrder, getHash(99), '192.0.2.8'))).toMatchObject(tooManyReports)
    for (const [index, order] of strangerOrders.slice(5, 30).entries())
      await reportFrom(order, getHash(index + 6), '192.0.2.7')
    const [nextOrder] = strangerOrders.slice(30)
    if (!nextOrder) throw new Error('No order')
    expect(await readRefusal(reportFrom(nextOrder, getHash(98), '192.0.2.7'))).toMatchObject(tooManyReports)
    expect(await reportFrom(nextOrder, getHash(98), '192.0.2.8')).toMatchObject({ status: 'seen' })
    expect(await box.ctx.db.$count(orders)).toBe(37)
    const { txHash } = (await box.ctx.db.select().from(orders)).find(({ id }) => id === nextOrder.id) ?? {}
    expect(txHash).toBe(getHash(98))
  })

  test('is rejected after thirty unknown transactions from one IPv6 /48, even from different subnets', async () => {
    const strangerOrders = await insertOrders(31, () => ({}))
    const outcomes = []
    for (const [index, order] of strangerOrders.entries()) {
      outcomes.push(
        await readRefusal(reportFrom(order, getHash(index + 1), `2001:db8:1:${index}::1`)).catch(() => null),
      )
    }
    expect(outcomes.slice(0, 30)).toEqual(Array(30).fill(null))
    expect(outcomes[30]).toMatchObject(tooManyReports)
  })

  test('is rejected at the same limits when reports are concurrent', async () => {
    const [crowdOrders, ownOrder] = [await insertOrders(40, () => ({})), await makeOrder('6h', { ctx })]
    const countAccepted = async (reports: Promise<unknown>[]) => {
      const outcomes = await Promise.allSettled(reports)
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(tooManyReports)
      return outcomes.filter(({ status }) => status === 'fulfilled').length
    }
    expect(
      await countAccepted(crowdOrders.map((order, index) => reportFrom(order, getHash(index + 1), '192.0.2.7'))),
    ).toBe(30)
    const networks = Array.from({ length: 16 }, (_, index) => `198.51.100.${index}`)
    const tries = networks.map((ip, index) => reportHash(ownOrder.id, getHash(100 + index), { ctx, ip }))
    expect(await countAccepted(tries)).toBe(10)
  })

  test('is discarded when the reported transaction is mined as a payment of another account', async () => {
    const order = await makeOrder('6h', { ctx })
    await chain.control.setAutomine(false)
    const foreignHash = await sendPendingPayment(2, '10')
    expect(await reportHash(order.id, foreignHash, { ctx })).toMatchObject({ status: 'seen' })
    await runWatcherRound(ctx)
    await chain.control.setAutomine(true)
    await chain.mine()
    clock.advance(2_000)
    await runWatcherRound(ctx)
    expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'open', transactionHash: null })
    await assertLedger()
  })
})
