import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { endpoints, OrderFlag, OrderStatus } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { createTestContext, testConfig } from '@tocsin/testkit'
import { eq } from 'drizzle-orm'
import { parseUnits } from 'viem'
import { describe, expect, test } from 'vitest'
import { operator } from '../src/audit-log.ts'
import { CHAIN_SETTING } from '../src/chain/payment-chains.ts'
import { activities } from '../src/db/schema/accounts.ts'
import { orders, payments, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { settings } from '../src/db/schema/server.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { findUser } from '../src/features/accounts/admin-routes.ts'
import { paymentEffects } from '../src/features/payments/credit-payment.ts'
import { checkPayments } from '../src/features/payments/watcher.ts'
import { cancelSubscription } from '../src/features/subscriptions/adjust.ts'
import { findEntitlement } from '../src/features/subscriptions/service.ts'
import type { Input } from '../src/http/route.ts'
import {
  assertLedger,
  cancelOrder,
  getTimeAfterDue,
  listBuyerOrders,
  listFlaggedOrders,
  makeOrder,
  payAt,
  readOrder,
  reportHash,
  runWatcherRound,
  sendPendingPayment,
  withTerms,
} from './order-fixture.ts'

import {
  anna,
  bert,
  box,
  chain,
  clock,
  createInput,
  findActivePlan,
  payIto,
  payTwice,
  postSubscription,
  readRefusal,
  send,
  setPaymentFixture,
  signPayment,
} from './payment-fixture.ts'

setPaymentFixture()

const parseIto = (amount: string) => parseUnits(amount, 18).toString()
const unknownHash = `0x${'77'.repeat(32)}`
const listReasons = async () => (await box.ctx.db.select().from(unmatchedTransfers)).map(({ reason }) => reason)

describe('orders: the server rejects', () => {
  test('orders without a proved wallet or during an active plan, and access to an order of another account', async () => {
    expect((await readRefusal(makeOrder('6h', { proved: 2 }))).code).toBe('wallet_not_proved')
    const order = await makeOrder('6h')
    for (const attempt of [readOrder, cancelOrder, (id: string, who: object) => reportHash(id, unknownHash, who)]) {
      expect((await readRefusal(attempt(order.id, { by: bert }))).code).toBe('not_found')
      expect((await readRefusal(attempt('no id', { by: anna }))).code).toBe('not_found')
    }
    expect(await readOrder(order.id, { by: bert, isAdmin: true })).toEqual(order)
    await postSubscription({ hash: (await payIto(1, '10')).transactionHash })
    const refusal = await readRefusal(makeOrder('24h'))
    expect(refusal).toMatchObject({ code: 'subscription_active', message: 'You already have an active subscription' })
  })

  test('beyond five open orders, and with a reused or malformed key', async () => {
    await makeOrder('6h', { key: 'one' })
    expect((await readRefusal(makeOrder('24h', { key: 'one' }))).code).toBe('idempotency_mismatch')
    expect((await readRefusal(makeOrder('24h', { key: 'with space' }))).code).toBe('malformed')
    await box.ctx.db.update(orders).set({ priceWei: 1n })
    for (let price = 2n; price <= 5n; price++) {
      clock.advance(1)
      const { id } = await makeOrder('6h')
      const others = await listBuyerOrders()
      expect(others.items[0]?.id).toBe(id)
      await box.ctx.db.execute(`update orders set price_wei = ${price} where id = '${id}'`)
    }
    expect((await readRefusal(makeOrder('6h'))).code).toBe('too_many_orders')
    const [{ id = '' } = {}] = (await listBuyerOrders()).items
    await cancelOrder(id)
    expect(await makeOrder('6h')).toMatchObject({ status: 'open' })
  })

  test('when they cancel a paid order', async () => {
    const { id } = await makeOrder('6h')
    await payIto(1, '10')
    await runWatcherRound()
    expect((await readRefusal(cancelOrder(id))).code).toBe('order_paid')
    await assertLedger()
  })
})

test.each([
  ['the treasury', { payment: { treasury: `0x${'55'.repeat(20)}` } }],
  ['the token', { payment: { token: `0x${'55'.repeat(20)}` } }],
  ['the way to pay', { orders: { treasuryKey: `0x${'7e'.repeat(32)}` } }],
] as const)('order: is returned again for the same purchase, but not when %s was changed', async (_what, change) => {
  const { id } = await makeOrder('6h')
  expect((await makeOrder('6h')).id).toBe(id)
  expect((await makeOrder('6h', { ctx: withTerms(change) })).id).not.toBe(id)
})

test('order: contains its terms, and 100 concurrent requests, half of them with the same key, create one order', async () => {
  const made = await Promise.all(Array.from({ length: 100 }, (_, i) => makeOrder('24h', i % 2 ? { key: 'k' } : {})))
  expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  expect(made[0]).toMatchObject({
    status: 'open',
    flags: [],
    planType: '24h',
    priceWei: parseIto('30'),
    paidWei: '0',
    missingWei: parseIto('30'),
    excessWei: '0',
    token: chain.token,
    decimals: 18,
    chainId: chain.chainId,
    treasury: chain.treasury,
    payer: chain.wallet(1).account.address,
    path: 'transfer',
    spender: null,
    createdAt: clock.now().toISOString(),
    expiresAt: new Date(clock.now().getTime() + HOUR_MS / 2).toISOString(),
    watchedUntil: new Date(clock.now().getTime() + 24.5 * HOUR_MS).toISOString(),
    transactionHash: null,
    subscription: null,
  })
  expect(await box.ctx.db.$count(orders)).toBe(1)
})

interface Case {
  /**
   * The amounts of the payments, each with its delay after the deadline in ms. Without a delay, the
   * payment is in time.
   */
  paid: [amount: string, afterDueMs?: number][]
  status: OrderStatus
  flags?: OrderFlag[]
  hours: number
  excess?: string
  unmatched?: string[]
  /** True if the price of the plan has changed by the time of the payment. */
  isPriceOther?: true
  toleranceBps?: number
}

const cases: [string, Case][] = [
  [
    'one base unit short',
    { paid: [['9.999999999999999999']], status: 'underpaid', flags: ['under'], hours: 0, unmatched: ['partial'] },
  ],
  [
    'one base unit short, within the tolerance',
    { paid: [['9.999999999999999999']], status: 'paid', hours: 6, toleranceBps: 1 },
  ],
  ['exactly', { paid: [['10']], status: 'paid', hours: 6 }],
  ['too much', { paid: [['12']], status: 'paid', flags: ['over'], hours: 6, excess: '2' }],
  ['the price of a more expensive plan', { paid: [['30']], status: 'paid', flags: ['over'], hours: 6, excess: '20' }],
  [
    'in two parts',
    { paid: [['4'], ['6']], status: 'paid', flags: ['multiple', 'under'], hours: 6, unmatched: ['partial'] },
  ],
  [
    'in three parts, the last one late and too large',
    {
      paid: [['1'], ['2'], ['8', 1_000]],
      status: 'paid',
      flags: ['late', 'multiple', 'over', 'under'],
      hours: 6,
      excess: '1',
      unmatched: ['partial', 'partial'],
    },
  ],
  ['in the last second', { paid: [['10', 0]], status: 'paid', hours: 6 }],
  ['a second late', { paid: [['10', 1_000]], status: 'paid', flags: ['late'], hours: 6 }],
  ['a day late', { paid: [['10', DAY_MS]], status: 'paid', flags: ['late'], hours: 6 }],
  ['two days late', { paid: [['10', 2 * DAY_MS]], status: 'expired', flags: ['late'], hours: 0, unmatched: ['late'] }],
  [
    'a second late and too little',
    { paid: [['9', 1_000]], status: 'underpaid', flags: ['late', 'under'], hours: 0, unmatched: ['partial'] },
  ],
  ['in time when the price has changed', { paid: [['8']], status: 'paid', hours: 6, isPriceOther: true }],
  [
    'late when the price has changed',
    { paid: [['8', 1_000]], status: 'expired', flags: ['late'], hours: 0, unmatched: ['late'], isPriceOther: true },
  ],
]

test.each(cases)(
  'order: gets the expected status, flags and hours when it is paid %s',
  async (_, { paid, status, flags = [], hours, excess = '0', unmatched = [], ...terms }) => {
    const order = await makeOrder('6h')
    // Plan prices are constants, so the test simulates a price change by giving the order another
    // price.
    if (terms.isPriceOther) await box.ctx.db.update(orders).set({ priceWei: parseUnits('8', 18) })
    const ctx = withTerms({ orders: { toleranceBps: terms.toleranceBps ?? 0 } })
    for (const [amount, lateMs] of paid) {
      await (lateMs === undefined ? payIto(1, amount) : payAt(1, amount, getTimeAfterDue(order, lateMs)))
      await runWatcherRound(ctx)
    }
    await runWatcherRound(ctx)
    const now = await readOrder(order.id, { ctx })
    expect(now).toMatchObject({ status, flags, excessWei: parseIto(excess) })
    expect(now.subscription === null).toBe(hours === 0)
    const entitled = await findEntitlement(box.ctx, anna, clock.now())
    expect(entitled ? entitled.endsAt.getTime() - entitled.startsAt.getTime() : 0).toBe(hours * HOUR_MS)
    expect(await listReasons()).toEqual(unmatched)
    expect((await listFlaggedOrders('over')).items.map(({ id }) => id)).toEqual(
      flags.includes('over') ? [order.id] : [],
    )
    await assertLedger()
  },
)

describe('crediting a transfer', () => {
  test('pays the unpaid order of the same price, and a further transfer pays a plan for which there was no order', async () => {
    const smallOrder = await makeOrder('6h')
    clock.advance(1_000)
    const largeOrder = await makeOrder('24h')
    for (const amount of ['30', '10', '10']) await payIto(1, amount)
    clock.advance(1_000)
    await runWatcherRound()
    for (const { id } of [smallOrder, largeOrder])
      expect(await readOrder(id)).toMatchObject({ status: 'paid', flags: [] })
    const { items } = await listBuyerOrders()
    expect(items.map(({ planType, status }) => [planType, status])).toEqual([
      ['6h', 'paid'],
      ['24h', 'paid'],
      ['6h', 'paid'],
    ])
    expect(items.every(({ subscription }) => subscription !== null)).toBe(true)
    await assertLedger()
  })

  test('adds up two transfers of one transaction to pay one order', async () => {
    const order = await makeOrder('6h')
    await payTwice(1, parseUnits('5', 18))
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', flags: ['multiple'], paidWei: parseIto('10') })
    const active = await findActivePlan(anna)
    expect(active?.tokenAmount).toBe(parseIto('10'))
    await assertLedger()
  })

  test('shows staff and the buyer the sum when several transfers have paid an order', async () => {
    await makeOrder('6h')
    for (const amount of ['4', '6']) {
      await payIto(1, amount)
      await runWatcherRound()
    }
    const input = { ...createInput(bert, [], true), params: { id: anna }, body: undefined } as unknown
    const seen = await findUser(box.ctx, input as Input<typeof endpoints.findUser>)
    expect(seen.user.activeSubscription).toMatchObject({ tokenAmount: parseIto('10') })
    expect(seen.subscriptions).toMatchObject([{ tokenAmount: parseIto('10') }])
    const paid = await box.ctx.db.select().from(activities).where(eq(activities.kind, 'plan_paid'))
    expect(paid).toMatchObject([{ accountId: anna, detail: '6 hours, 10 ITO' }])
  })

  test('pays a cancelled order', async () => {
    const order = await makeOrder('6h')
    expect(await cancelOrder(order.id)).toMatchObject({ status: 'cancelled' })
    expect(await cancelOrder(order.id)).toMatchObject({ status: 'cancelled' })
    await payAt(1, '10', new Date(clock.now().getTime() + 5_000))
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', flags: ['late'] })
    await assertLedger()
  })

  test('pays the open order when a client reports the transaction without an order id', async () => {
    const order = await makeOrder('6h')
    const made = await postSubscription({ hash: (await payIto(1, '10')).transactionHash })
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', subscription: made })
    await runWatcherRound()
    await assertLedger()
  })

  test('ignores a partial payment that was refunded', async () => {
    const order = await makeOrder('6h')
    const { transactionHash } = await payIto(1, '4')
    await runWatcherRound()
    await box.ctx.db.update(unmatchedTransfers).set({ resolvedAt: clock.now(), resolution: 'refund_noted' })
    expect(await readOrder(order.id)).toMatchObject({ status: 'open', transactionHash, isPending: false })
    await payIto(1, '6')
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({
      status: 'underpaid',
      paidWei: parseIto('6'),
      missingWei: parseIto('4'),
    })
    await assertLedger()
  })

  test('grants the plan to the paying account and leaves the order open when another account pays', async () => {
    const order = await makeOrder('6h')
    const { transactionHash } = await payIto(2, '10')
    expect((await readRefusal(reportHash(order.id, transactionHash))).code).toBe('payment_wrong_sender')
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'open' })
    expect(await findActivePlan(bert, bert)).not.toBeNull()
    await assertLedger()
  })
})

describe('a reported transaction', () => {
  test('is rejected without changes when it is not a payment', async () => {
    const order = await makeOrder('6h')
    const reportAndReadCode = async (hash: string) => (await readRefusal(reportHash(order.id, hash))).code
    expect(await reportAndReadCode((await payIto(1, '10', { to: `0x${'5'.repeat(40)}` })).transactionHash)).toBe(
      'payment_wrong_recipient',
    )
    const token = await chain.deployToken()
    expect(await reportAndReadCode((await payIto(1, '10', { token })).transactionHash)).toBe('payment_wrong_token')
    expect(await reportAndReadCode((await payIto(2, '10')).transactionHash)).toBe('payment_wrong_sender')
    const foreignHash = (await payIto(2, '1000000')).transactionHash
    expect(await reportAndReadCode(foreignHash)).toBe('payment_reverted')
    expect(await readOrder(order.id)).toEqual(order)
    expect(await reportHash(order.id, (await payIto(1, '1000000')).transactionHash)).toMatchObject({ status: 'failed' })
    expect(await reportHash(order.id, (await payIto(1, '10')).transactionHash)).toMatchObject({ status: 'paid' })
    await runWatcherRound()
    await assertLedger()
  })

  test('does not replace a pending or confirming payment when it failed', async () => {
    const ctx = withTerms({ payment: { confirmations: 2 } })
    const order = await makeOrder('6h', { ctx })
    const { transactionHash: failedHash } = await payIto(1, '1000000')
    await chain.control.setAutomine(false)
    const hash = await sendPendingPayment(1, '10')
    await reportHash(order.id, hash, { ctx })
    const pendingPayment = { transactionHash: hash, status: 'seen', isPending: true }
    expect(await reportHash(order.id, failedHash, { ctx })).toMatchObject(pendingPayment)
    await chain.mine()
    await chain.control.setAutomine(true)
    await runWatcherRound(ctx)
    expect(await reportHash(order.id, failedHash, { ctx })).toMatchObject({ ...pendingPayment, status: 'confirming' })
    await chain.mine()
    await runWatcherRound(ctx)
    expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', transactionHash: hash })
    await assertLedger()
  })

  test.each(['treasury', 'token'])('pays its order when the %s of the settings has changed since', async (name) => {
    const order = await makeOrder('6h')
    const { transactionHash } = await payIto(1, '10')
    const ctx = withTerms({ payment: { [name]: `0x${'55'.repeat(20)}` } })
    expect(await reportHash(order.id, transactionHash, { ctx })).toMatchObject({ status: 'paid', transactionHash })
    await assertLedger()
  })

  test('stays pending for nine minutes while the chain does not know it, and is dropped after eleven', async () => {
    const order = await makeOrder('6h')
    expect(await reportHash(order.id, unknownHash)).toMatchObject({
      status: 'seen',
      transactionHash: unknownHash,
      isPending: true,
    })
    clock.advance(9 * MINUTE_MS)
    await runWatcherRound()
    expect((await readOrder(order.id)).status).toBe('seen')
    clock.advance(2 * MINUTE_MS)
    await runWatcherRound()
    expect((await readOrder(order.id)).status).toBe('dropped')
    await payIto(1, '10')
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', replacedHashes: [unknownHash] })
  })

  test('is listed once among the replaced ones when two transactions are reported alternately', async () => {
    const order = await makeOrder('6h')
    const otherHash = `0x${'88'.repeat(32)}`
    for (const hash of [unknownHash, otherHash, unknownHash]) await reportHash(order.id, hash)
    const { transactionHash, replacedHashes } = await reportHash(order.id, otherHash)
    expect([transactionHash, replacedHashes]).toEqual([otherHash, [unknownHash, otherHash]])
  })

  test('pays only one order, even with 100 concurrent reports from two accounts', async () => {
    const annasOrder = await makeOrder('6h')
    const bertsOrder = await makeOrder('6h', { by: bert, wallet: 2 })
    const { transactionHash: hash } = await payIto(1, '10')
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) =>
        i % 2 ? reportHash(annasOrder.id, hash) : reportHash(bertsOrder.id, hash, { by: bert }),
      ),
    )
    const results = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.status : outcome.reason.code,
    )
    expect(new Set(results)).toEqual(new Set(['paid', 'payment_wrong_sender']))
    expect(await box.ctx.db.$count(subscriptions)).toBe(1)
    expect((await readOrder(bertsOrder.id, { by: bert })).status).toBe('open')
    await runWatcherRound()
    await assertLedger()
  })
})

test('order: shows a reported payment as pending, then confirming, then paid, without further reports', async () => {
  const ctx = withTerms({ payment: { confirmations: 3 } })
  const order = await makeOrder('6h', { ctx })
  await chain.control.setAutomine(false)
  const hash = await sendPendingPayment(1, '10')
  expect(await reportHash(order.id, hash, { ctx })).toMatchObject({ status: 'seen', confirmations: 0, required: 3 })
  await chain.mine()
  await chain.control.setAutomine(true)
  await runWatcherRound(ctx)
  const seen = await readOrder(order.id, { ctx })
  expect(seen).toMatchObject({ status: 'confirming', confirmations: 1, required: 3, transactionHash: hash })
  await chain.mine()
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'confirming', confirmations: 2 })
  await chain.mine()
  await runWatcherRound(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', transactionHash: hash, confirmations: 3 })
  await assertLedger()
})

test('order: shows a payment as confirming when it was not reported', async () => {
  const ctx = withTerms({ payment: { confirmations: 3 } })
  const order = await makeOrder('6h', { ctx })
  const { transactionHash } = await payIto(1, '10')
  await runWatcherRound(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'confirming', confirmations: 1, transactionHash })
  expect(await box.ctx.db.$count(payments)).toBe(0)
})

describe('a payment replaced in the wallet', () => {
  /** Reports a pending payment, then sends and mines another transaction with the same nonce. */
  async function replacePayment(ito: string, to?: `0x${string}`) {
    const order = await makeOrder('6h')
    const nonce = await chain.client.getTransactionCount({ address: chain.wallet(1).account.address })
    await chain.control.setAutomine(false)
    const first = await sendPendingPayment(1, '10', { nonce })
    await reportHash(order.id, first)
    const second = await sendPendingPayment(1, ito, { nonce, tip: 5_000_000_000n, ...(to ? { to } : {}) })
    await chain.control.setAutomine(true)
    await chain.mine()
    await runWatcherRound()
    return { order, first, second, now: await readOrder(order.id) }
  }

  test('pays the order with the replacement transaction when it was sped up', async () => {
    const { first, second, now } = await replacePayment('10')
    expect(now).toMatchObject({ status: 'paid', transactionHash: second, replacedHashes: [first] })
    await assertLedger()
  })

  test('leaves the order unpaid when the payment was cancelled, and the next payment pays the order', async () => {
    const { order, first, now } = await replacePayment('0', chain.wallet(1).account.address)
    expect(now).toMatchObject({ status: 'dropped', transactionHash: first, missingWei: parseIto('10') })
    await payIto(1, '10')
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', replacedHashes: [first] })
    await assertLedger()
  })
})

describe('a reorganisation', () => {
  test.each([1, 3, 12])('of %i blocks removes a confirming payment, which had granted nothing', async (depth) => {
    const ctx = withTerms({ payment: { confirmations: depth + 1 } })
    const order = await makeOrder('6h', { ctx })
    const snapshotBefore = await chain.snapshot()
    const signedPayment = await signPayment(1, '10')
    await send(signedPayment)
    if (depth > 1) await chain.mine(depth - 1)
    await runWatcherRound(ctx)
    expect((await readOrder(order.id, { ctx })).status).toBe('confirming')
    await chain.revert(snapshotBefore)
    await chain.mine(depth + 1)
    await runWatcherRound(ctx)
    expect((await readOrder(order.id, { ctx })).status).toBe('reorganised')
    expect(await findActivePlan(anna)).toBeNull()
    await send(signedPayment)
    await chain.mine(depth)
    await runWatcherRound(ctx)
    expect((await readOrder(order.id, { ctx })).status).toBe('paid')
    await assertLedger()
  })

  test('revokes the plan when its two partial payments are removed, even if one of them returns', async () => {
    const order = await makeOrder('6h')
    const snapshotBefore = await chain.snapshot()
    const signedPayment = await signPayment(1, '4')
    await send(signedPayment)
    await runWatcherRound()
    expect((await readOrder(order.id)).status).toBe('underpaid')
    await payIto(1, '6')
    await runWatcherRound()
    expect((await readOrder(order.id)).status).toBe('paid')
    await chain.revert(snapshotBefore)
    await chain.mine(3)
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'reorganised', flags: ['multiple', 'under'] })
    expect(await findActivePlan(anna)).toBeNull()
    await assertLedger()
    // Mine only the smaller partial payment again. It does not cover the price.
    await send(signedPayment)
    await runWatcherRound()
    expect((await readOrder(order.id)).status).toBe('reorganised')
    expect(await findActivePlan(anna)).toBeNull()
    await assertLedger()
  })

  test('reduces the received amount until the partial payment returns', async () => {
    const order = await makeOrder('6h')
    const snapshotBefore = await chain.snapshot()
    const signedPayment = await signPayment(1, '4')
    await send(signedPayment)
    await runWatcherRound()
    await chain.revert(snapshotBefore)
    await chain.mine(3)
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'open', paidWei: '0', isPending: true })
    await send(signedPayment)
    await payIto(1, '6')
    await runWatcherRound()
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', paidWei: parseIto('10') })
    await assertLedger()
  })

  test('lets a returned partial payment pay the order, even after crediting it failed once', async () => {
    const order = await makeOrder('6h')
    const snapshotBefore = await chain.snapshot()
    await payIto(1, '4')
    const signedPayment = await signPayment(1, '3')
    await send(signedPayment)
    await runWatcherRound()
    await chain.revert(snapshotBefore)
    await chain.mine(3)
    await payIto(1, '7')
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'underpaid', paidWei: parseIto('7') })
    const { transactionHash: txHash } = await send(signedPayment)
    const credit = () => Promise.reject(new Error('the account is locked'))
    await expect(checkPayments(box.ctx, { ...paymentEffects, credit })).rejects.toThrow('the account is locked')
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', paidWei: parseIto('10') })
    const returned = await box.ctx.db.select().from(unmatchedTransfers).where(eq(unmatchedTransfers.txHash, txHash))
    expect(returned).toMatchObject([{ resolvedAt: clock.now(), revertedAt: null }])
    await assertLedger()
  })
})

describe('an order', () => {
  test('is paid by the next run when the chain was unreachable for ten minutes', async () => {
    const annasOrder = await makeOrder('6h')
    const bertsOrder = await makeOrder('24h', { by: bert, wallet: 2 })
    const silentContext = await createTestContext(testConfig({ databaseUrl: box.ctx.config.databaseUrl }), clock)
    const receipt = await payIto(1, '10')
    await payIto(2, '30')
    const order = await reportHash(annasOrder.id, receipt.transactionHash, { ctx: silentContext.ctx })
    expect(order).toMatchObject({ status: 'seen', message: expect.stringMatching(/can’t be reached.*safe/) })
    for (let minute = 0; minute < 10; minute++) {
      clock.advance(60_000)
      expect((await readRefusal(runWatcherRound(silentContext.ctx))).code).toBe('unavailable')
      expect((await readOrder(annasOrder.id, { ctx: silentContext.ctx })).status).toBe('seen')
    }
    await silentContext.close()
    await runWatcherRound()
    expect((await readOrder(annasOrder.id)).status).toBe('paid')
    expect((await readOrder(bertsOrder.id, { by: bert })).status).toBe('paid')
    await assertLedger()
  })

  test('counts as paid in time when the payment was made before the time limit but read after it', async () => {
    const order = await makeOrder('6h')
    await payAt(1, '10', getTimeAfterDue(order, -1_000))
    clock.advance(3 * DAY_MS)
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', flags: [] })
    await assertLedger()
  })

  test('is paid once when a scan is interrupted and restarted', async () => {
    const order = await makeOrder('6h')
    for (const amount of ['4', '11', '6']) await payIto(1, amount)
    const stopError = new Error('stopped')
    let stepsLeft = 2
    const failpoint = () => {
      stepsLeft -= 1
      if (stepsLeft < 0) throw stopError
    }
    await expect(runWatcherRound({ ...box.ctx, failpoint })).rejects.toBe(stopError)
    for (let i = 0; i < 3; i++) await runWatcherRound()
    expect((await readOrder(order.id)).status).toBe('paid')
    await assertLedger()
  })

  test('stays on its chain when an admin selects another one', async () => {
    const order = await makeOrder('6h')
    const chosenSetting = { chainId: 137, description: '' }
    await box.ctx.db.insert(settings).values({ name: CHAIN_SETTING, value: chosenSetting, updatedAt: clock.now() })
    expect((await readRefusal(makeOrder('24h'))).code).toBe('unavailable')
    const { transactionHash } = await payIto(1, '10')
    expect(await reportHash(order.id, transactionHash)).toMatchObject({ status: 'paid', chainId: chain.chainId })
    await runWatcherRound()
    await assertLedger()
  })

  test('is returned without waiting when the node hangs', async () => {
    let requests = 0
    let isGivenUp = false
    const hangingServer = createServer((request) => {
      requests += 1
      request.socket.on('close', () => {
        isGivenUp = true
      })
    })
    await new Promise<void>((resolve) => hangingServer.listen(0, '127.0.0.1', resolve))
    const rpcUrl = `http://127.0.0.1:${(hangingServer.address() as AddressInfo).port}`
    const { databaseUrl } = box.ctx.config
    const silentContext = await createTestContext(testConfig({ databaseUrl, payment: { rpcUrls: [rpcUrl] } }), clock)
    const order = await makeOrder('6h')
    await reportHash(order.id, unknownHash)
    const seen = await readOrder(order.id, { ctx: silentContext.ctx })
    expect(seen).toMatchObject({ status: 'seen', message: expect.stringMatching(/can’t be reached/) })
    // The request to the node has not timed out yet, so the response did not wait for it.
    expect(isGivenUp).toBe(false)
    await expect.poll(() => requests).toBeGreaterThan(0)
    hangingServer.closeAllConnections()
    hangingServer.close()
    await silentContext.close()
  })
})

test('orders: show active and queued plans as cancelled after an operator cancels the subscription', async () => {
  await makeOrder('6h')
  clock.advance(1_000)
  await makeOrder('24h')
  for (const amount of ['10', '30']) await payIto(1, amount)
  await runWatcherRound()
  const listStates = async () =>
    (await listBuyerOrders()).items.map(({ status, subscription }) => [status, subscription?.cancelledAt])
  expect(await listStates()).toEqual(Array(2).fill(['paid', null]))
  await cancelSubscription(box.ctx, { by: operator, accountId: anna, reason: undefined })
  expect(await listStates()).toEqual(Array(2).fill(['paid', clock.now().toISOString()]))
})

test('orders: lists only the orders of the account, in pages', async () => {
  for (const plan of ['6h', '24h', '3d'] as const) {
    await makeOrder(plan)
    clock.advance(1_000)
  }
  const first = await listBuyerOrders({ limit: 2 })
  expect(first.items.map(({ planType }) => planType)).toEqual(['3d', '24h'])
  const restPage = await listBuyerOrders({ limit: 2, cursor: first.next ?? '' })
  expect([restPage.items.map(({ planType }) => planType), restPage.next]).toEqual([['6h'], null])
  for (const cursor of ['nonsense', `0000-01-01T00:00:00.000Z_${crypto.randomUUID()}`]) {
    expect((await listBuyerOrders({ cursor })).items, cursor).toHaveLength(3)
  }
  expect((await listBuyerOrders({}, { by: bert })).items).toEqual([])
})
