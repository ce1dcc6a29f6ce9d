import { readFile } from 'node:fs/promises'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import type { TestContext } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { alerts, deliveries, streamReach } from '../src/db/schema/alerts.ts'
import { auditEntries } from '../src/db/schema/audit.ts'
import { feedGaps } from '../src/db/schema/feed.ts'
import { anchors, logEntries } from '../src/db/schema/log.ts'
import { orders, payments, refunds, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { dailyCounts } from '../src/db/schema/server.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { mergePaymentDays } from '../src/features/business/revenue-store.ts'
import * as business from '../src/features/business/routes.ts'
import { saveState } from '../src/features/feed/store.ts'
import { ago, createBusiness, createInput, createTransfer, ITO, NOW } from './business-fixture.ts'

const WEEK_MS = 7 * DAY_MS

const database = useTestDatabase()
let box: TestContext

beforeEach(async () => {
  box = await createBusiness(database)
})
afterEach(async () => {
  await box.close()
})

async function createAccount(name: string, createdAt = NOW): Promise<string> {
  const values = { name, email: `${name}@example.com`, createdAt }
  const [account] = await box.ctx.db.insert(accounts).values(values).returning()
  if (!account) throw new Error('No account')
  return account.id
}

/** Returns the statements of the migration that recompute the daily sums. */
async function readRebuildStatements(): Promise<string[]> {
  const path = new URL('../drizzle/0062_payment_days_treasury.sql', import.meta.url)
  const statements = (await readFile(path, 'utf8')).split('--> statement-breakpoint')
  return statements.filter((statement) => /^\s*(DELETE FROM|INSERT INTO) "payment_days"/.test(statement))
}

interface PaymentInput {
  accountId?: string | null
  at: Date
  ito?: bigint
  planId?: '6h' | '24h' | '3d'
  chainId?: number
  revertedAt?: Date | null
  orderId?: string
}

async function addPayment({
  accountId = null,
  planId = '6h',
  at,
  ito = 10n,
  chainId,
  revertedAt,
  orderId,
}: PaymentInput): Promise<string> {
  const transfer = createTransfer({ blockAt: at, amountWei: ito * ITO, ...(chainId && { chainId }) })
  const values = { ...transfer, accountId, planId, priceWei: 10n * ITO, createdAt: at, revertedAt, orderId }
  const [row] = await box.ctx.db.insert(payments).values(values).returning({ id: payments.id })
  if (!row) throw new Error('No payment')
  return row.id
}

/** Adds an order that was paid by two transfers. */
async function addOrderPaidInParts(accountId: string, first: Date, second: Date): Promise<void> {
  const { chainId, token, payer } = createTransfer({ blockAt: first })
  const times = { createdAt: first, expiresAt: second, watchedUntil: second, paidAt: second }
  const terms = { planId: '6h' as const, priceWei: 10n * ITO, chainId, token, payer, treasury: token }
  const values = { ...terms, ...times, accountId, path: 'transfer' as const, flags: ['multiple' as const] }
  const [order] = await box.ctx.db.insert(orders).values(values).returning({ id: orders.id })
  if (!order) throw new Error('No order')
  for (const at of [first, second]) await addPayment({ accountId, at, ito: 5n, orderId: order.id })
}

async function addSubscription(accountId: string, startsAt: Date, endsAt: Date, change: object = {}): Promise<void> {
  const paymentId = await addPayment({ accountId, at: startsAt })
  const values = { accountId, paymentId, planId: '6h' as const, startsAt, endsAt, createdAt: startsAt, ...change }
  await box.ctx.db.insert(subscriptions).values(values)
}

describe('businessRevenue', () => {
  const findRevenue = () => business.businessRevenue(box.ctx, createInput<'businessRevenue'>())

  test('has zeros and thirty empty days when nothing was paid', async () => {
    const found = await findRevenue()
    expect(found).toMatchObject({ allTime: { count: 0, sumWei: '0' }, since: null, rate: null })
    expect(found.days).toHaveLength(30)
    expect(found.days.at(-1)).toEqual({ day: '2026-11-18', parts: [] })
  })

  test('assigns payments to periods with exact bounds, and excludes reverted payments', async () => {
    const midnight = new Date('2026-11-18T00:00:00.000Z')
    await addPayment({ at: midnight, ito: 1n })
    await addPayment({ at: new Date(midnight.getTime() - 1), ito: 2n })
    await addPayment({ at: new Date(midnight.getTime() - DAY_MS), ito: 4n })
    await addPayment({ at: ago(7 * DAY_MS), ito: 8n })
    await addPayment({ at: ago(7 * DAY_MS + 1), ito: 16n })
    await addPayment({ at: ago(30 * DAY_MS + 1), ito: 32n, planId: '3d', chainId: 137 })
    await addPayment({ at: ago(HOUR_MS), ito: 64n, revertedAt: NOW })
    const found = await findRevenue()
    const sums = [found.today, found.yesterday, found.last7, found.before7, found.last30, found.before30, found.allTime]
    expect(sums.map(({ sumWei }) => BigInt(sumWei) / ITO)).toEqual([1n, 6n, 15n, 16n, 31n, 32n, 63n])
    expect(found.allTime.count).toBe(6)
    expect(found.since).toBe(ago(30 * DAY_MS + 1).toISOString())
    expect(found.days.at(-2)).toEqual({
      day: '2026-11-17',
      parts: [{ planType: '6h', chainId: 31337, count: 2, sumWei: (6n * ITO).toString() }],
    })
  })

  test('returns the saved exchange rate, and saving a rate adds an audit entry', async () => {
    const rate = { currency: 'EUR', perIto: 0.42 }
    const by = { actor: { accountId: '00000000-0000-4000-8000-0000000000aa' }, request: { id: 'request-1' } }
    await business.saveRate(box.ctx, createInput<'saveRate'>({ ...by, body: { rate } }))
    expect((await findRevenue()).rate).toEqual({ ...rate, setAt: NOW.toISOString() })
    expect(await box.ctx.db.select().from(auditEntries)).toMatchObject([{ action: 'rate_changed', detail: rate }])
    await business.saveRate(box.ctx, createInput<'saveRate'>({ ...by, body: { rate: null } }))
    expect((await findRevenue()).rate).toBeNull()
  })
})

describe('businessCustomers', () => {
  const findCustomers = () => business.businessCustomers(box.ctx)

  test('counts first and later purchases by week, and the share of a cohort that paid again', async () => {
    const [anna, bert, carl] = [await createAccount('anna'), await createAccount('bert'), await createAccount('carl')]
    for (const accountId of [anna, bert]) await addPayment({ accountId, at: ago(2 * WEEK_MS) })
    await addPayment({ accountId: anna, at: ago(WEEK_MS) })
    await addPayment({ accountId: anna, at: ago(WEEK_MS - HOUR_MS) })
    await addPayment({ accountId: carl, at: ago(HOUR_MS) })
    await addPayment({ accountId: bert, at: ago(HOUR_MS), revertedAt: NOW })
    await box.ctx.db.insert(dailyCounts).values([
      { day: '2026-11-15', name: 'landing_visits', count: 5 },
      { day: '2026-11-16', name: 'landing_visits', count: 7 },
      { day: '2026-11-18', name: 'sign_ups', count: 3 },
    ])
    const { weeks, cohorts, renewals7 } = await findCustomers()
    expect(weeks.map(({ week }) => week)).toEqual([
      '2026-11-16',
      '2026-11-09',
      '2026-11-02',
      '2026-10-26',
      '2026-10-19',
      '2026-10-12',
    ])
    expect(weeks[0]).toMatchObject({ visits: 7, signUps: 3, verified: 3, firstPurchase: 1, boughtAgain: 0 })
    expect(weeks[1]).toMatchObject({ visits: 5, signUps: 0, firstPurchase: 0, boughtAgain: 1 })
    expect(weeks[2]).toMatchObject({ firstPurchase: 2, boughtAgain: 0 })
    expect(cohorts.slice(0, 3)).toEqual([
      { week: '2026-11-16', size: 1, paidAgain: [] },
      { week: '2026-11-09', size: 0, paidAgain: [null] },
      { week: '2026-11-02', size: 2, paidAgain: [0.5, 0] },
    ])
    expect(renewals7).toBe(2)
  })

  test('counts an order that was paid in two transfers as one purchase at the time of the first transfer', async () => {
    const [anna, bert, carl] = [await createAccount('anna'), await createAccount('bert'), await createAccount('carl')]
    await addOrderPaidInParts(anna, ago(2 * HOUR_MS), ago(HOUR_MS))
    await addPayment({ accountId: bert, at: ago(WEEK_MS) })
    await addOrderPaidInParts(bert, ago(2 * HOUR_MS), ago(HOUR_MS))
    // The week began between the two transfers of this order.
    await addOrderPaidInParts(carl, ago(3 * DAY_MS), ago(HOUR_MS))
    await box.ctx.db.insert(subscriptions).values({
      ...{ accountId: anna, paymentId: await addPayment({ accountId: null, at: NOW }), planId: '6h', createdAt: NOW },
      ...{ startsAt: ago(HOUR_MS), endsAt: new Date(NOW.getTime() + HOUR_MS) },
    })
    const { weeks, renewals7, ending } = await findCustomers()
    expect(weeks[0]).toMatchObject({ firstPurchase: 1, boughtAgain: 1, paying: 2 })
    expect(weeks[1]).toMatchObject({ firstPurchase: 2, boughtAgain: 0, paying: 2 })
    expect(renewals7).toBe(1)
    expect(ending.accounts).toMatchObject([{ id: anna, payments: 1, signs: expect.arrayContaining(['neverRenewed']) }])
  })

  test('counts active and lost plans, and lists accounts whose plan ends soon without a queued plan', async () => {
    const [anna, bert, carl, dora] = await Promise.all(
      ['anna', 'bert', 'carl', 'dora'].map((name) => createAccount(name)),
    )
    if (!anna || !bert || !carl || !dora) throw new Error('No accounts')
    const msLater = (ms: number) => new Date(NOW.getTime() + ms)
    await addSubscription(anna, ago(HOUR_MS), msLater(3 * HOUR_MS))
    await addSubscription(bert, ago(HOUR_MS), msLater(2 * HOUR_MS))
    // This plan is queued, so that access continues without a gap.
    await addSubscription(bert, msLater(2 * HOUR_MS), msLater(2 * DAY_MS))
    await addSubscription(carl, ago(5 * DAY_MS), ago(2 * DAY_MS))
    await addSubscription(dora, ago(HOUR_MS), msLater(HOUR_MS), { cancelledAt: NOW })
    const { churn, activePlans, ending, paying30 } = await findCustomers()
    expect(churn).toEqual({ hadPlan: 3, lost: 1 })
    expect(activePlans).toBe(2)
    expect(ending.count).toBe(1)
    expect(ending.accounts).toMatchObject([
      { id: anna, planType: '6h', endsAt: msLater(3 * HOUR_MS).toISOString(), payments: 1, lastSeenAt: null },
    ])
    expect(paying30).toEqual({ accounts: 4, sumWei: (50n * ITO).toString() })
  })
})

describe('businessTreasury', () => {
  test('counts each transfer once, and has no balance if the chain cannot be read', async () => {
    const { chainId } = box.ctx.config.payment
    await addPayment({ at: NOW, chainId })
    const createTransferOf = (ito: bigint) => ({
      ...createTransfer({ blockAt: NOW, chainId, amountWei: ito * ITO }),
      seenAt: NOW,
    })
    await box.ctx.db.insert(unmatchedTransfers).values([
      { ...createTransferOf(3n), reason: 'other_amount' },
      { ...createTransferOf(5n), reason: 'late', resolvedAt: NOW, resolution: 'ignore' },
    ])
    const [treasury] = await business.businessTreasury(box.ctx, createInput<'businessTreasury'>())
    expect(treasury).toMatchObject({
      credited: { count: 1, sumWei: (10n * ITO).toString() },
      unmatched: { count: 1, sumWei: (3n * ITO).toString() },
      resolved: { count: 1, sumWei: (5n * ITO).toString() },
      balanceWei: null,
    })
  })

  test('sums transfers of a former treasury or token separately, and excludes their refunds', async () => {
    const { chainId } = box.ctx.config.payment
    const otherAddress = `0x${'5'.repeat(40)}` as const
    const createTransferOf = (ito: bigint) => createTransfer({ blockAt: NOW, chainId, amountWei: ito * ITO })
    const plan = { planId: '6h', priceWei: 10n * ITO, createdAt: NOW } as const
    await addPayment({ at: NOW, chainId })
    const formerPayments = await box.ctx.db
      .insert(payments)
      .values([
        { ...createTransferOf(20n), ...plan, treasury: otherAddress },
        { ...createTransferOf(30n), ...plan, token: otherAddress },
      ])
      .returning()
    await box.ctx.db
      .insert(unmatchedTransfers)
      .values({ ...createTransferOf(3n), treasury: otherAddress, reason: 'other_amount', seenAt: NOW })
    const { txHash, amountWei } = createTransferOf(2n)
    await box.ctx.db.insert(refunds).values({
      ...{
        paymentId: formerPayments[0]?.id ?? '',
        chainId,
        txHash,
        logIndex: 0,
        amountWei,
        blockAt: NOW,
        recordedAt: NOW,
      },
    })
    const findTreasury = async () => (await business.businessTreasury(box.ctx, createInput<'businessTreasury'>()))[0]
    const zeroSum = { count: 0, sumWei: '0' }
    const expected = {
      credited: { count: 1, sumWei: (10n * ITO).toString() },
      ...{ unmatched: zeroSum, resolved: zeroSum, refunded: zeroSum },
      former: { count: 3, sumWei: (53n * ITO).toString() },
    }
    expect(await findTreasury()).toMatchObject(expected)
    await mergePaymentDays(box.ctx.db)
    expect(await findTreasury()).toMatchObject(expected)
    // The migration computes the same sums from the payments.
    const statements = await readRebuildStatements()
    expect(statements).toHaveLength(2)
    for (const statement of statements) await box.ctx.db.execute(statement)
    expect(await findTreasury()).toMatchObject(expected)
    await box.ctx.db.update(payments).set({ treasury: null, token: box.ctx.config.payment.token })
    expect(await findTreasury()).toMatchObject({
      credited: { count: 3, sumWei: (60n * ITO).toString() },
      refunded: { count: 1, sumWei: (2n * ITO).toString() },
      former: { count: 1, sumWei: (3n * ITO).toString() },
    })
  })
})

test('businessReach: has no alert before the first broadcast', async () => {
  const found = await business.businessReach(box.ctx, createInput<'businessReach'>())
  expect(found).toMatchObject({ alert: null, entitled: 0, reached: 0, opened: 0, stream: null, channels: [] })
})

test('businessReach: counts plans active at the time of the broadcast, not at the creation of the alert', async () => {
  const { db } = box.ctx
  const [createdAt, sentAt] = [ago(3 * HOUR_MS), ago(HOUR_MS)]
  const [earlyId, lateId] = [await createAccount('early'), await createAccount('late')]
  await addSubscription(earlyId, ago(5 * HOUR_MS), ago(2 * HOUR_MS))
  await addSubscription(lateId, ago(2 * HOUR_MS), ago(-HOUR_MS))
  const emptyHash = Buffer.alloc(32)
  await db
    .insert(logEntries)
    .values({ index: 0, leafHash: emptyHash, bytes: emptyHash, signature: '', appendedAt: createdAt })
  const texts = { asset: 'BTC/USDT', anomalyType: 'Depeg', confidence: 50, regime: '', summary: '', signer: '0x' }
  const times = { createdAt, broadcastAt: sentAt }
  await db
    .insert(alerts)
    .values({ id: 'alert-0', logIndex: 0, priority: 'critical', origin: 'admin', ...texts, ...times })
  await db.insert(deliveries).values({ logIndex: 0, at: sentAt })
  await db.insert(streamReach).values({ logIndex: 0, accountId: lateId, at: sentAt, tookMs: 40 })
  const found = await business.businessReach(box.ctx, createInput<'businessReach'>())
  expect(found).toMatchObject({
    alert: { sentAt: sentAt.toISOString() },
    ...{ entitled: 1, reached: 1, stream: { accounts: 1, p50Seconds: 0.04 } },
  })
})

describe('businessHealth', () => {
  const findHealth = () => business.businessHealth(box.ctx, createInput<'businessHealth'>())

  test('has no state and no gaps before anything is set up', async () => {
    const { bands, steps, hours, types } = await findHealth()
    expect(bands).toEqual(['feed', 'engine', 'anchors'].map((source) => ({ source, state: null, gaps: [] })))
    expect([steps, hours, types]).toEqual([[], [], []])
  })

  test('lists gaps of the last 24 hours, clipped to that window, and gaps that have not ended', async () => {
    const createGap = (source: 'feed' | 'engine', fromMs: number, toMs: number) => ({
      ...{ source, fromAt: ago(fromMs), toAt: ago(toMs) },
    })
    await box.ctx.db
      .insert(feedGaps)
      .values([
        createGap('feed', 26 * HOUR_MS, 25 * HOUR_MS),
        createGap('feed', 25 * HOUR_MS, 23 * HOUR_MS),
        createGap('engine', HOUR_MS, HOUR_MS / 2),
      ])
    const report = {
      ...{ reason: 'closed', connectedSince: null, lastPongAt: null, pingMs: null },
      state: 'reconnecting',
    }
    const lastGap = { from: ago(60_000).toISOString(), to: null }
    await saveState(box.ctx.db, { ...report, lastGap }, NOW)
    const { bands, from } = await findHealth()
    expect(bands[0]).toEqual({
      source: 'feed',
      state: 'gap',
      gaps: [{ from, to: ago(23 * HOUR_MS).toISOString() }, lastGap],
    })
    expect(bands[1]).toMatchObject({ gaps: [{ from: ago(HOUR_MS).toISOString(), to: ago(HOUR_MS / 2).toISOString() }] })
  })

  test('counts the time for which an entry waited longer than ten minutes for its anchor', async () => {
    const { db } = box.ctx
    const emptyHash = Buffer.alloc(32)
    const createEntry = (index: number, agoMs: number) => ({
      ...{ index, leafHash: emptyHash, bytes: emptyHash, signature: '', appendedAt: ago(agoMs) },
    })
    await db
      .insert(logEntries)
      .values([createEntry(0, 4 * HOUR_MS), createEntry(1, 3 * HOUR_MS), createEntry(2, HOUR_MS)])
    const createAnchor = (size: number, agoMs: number) => ({
      ...{ size, root: emptyHash, txHash: '0x', blockNumber: size, blockHash: '0x', blockAt: ago(agoMs) },
    })
    await db.insert(anchors).values([createAnchor(1, 4 * HOUR_MS - 60_000), createAnchor(2, 2 * HOUR_MS)])
    const formatAgo = (ms: number) => ago(ms).toISOString()
    expect((await findHealth()).bands[2]).toEqual({
      source: 'anchors',
      state: 'gap',
      gaps: [
        { from: formatAgo(3 * HOUR_MS - 600_000), to: formatAgo(2 * HOUR_MS) },
        { from: formatAgo(HOUR_MS - 600_000), to: null },
      ],
    })
  })
})
