import type { endpoints, Order, PlanId } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { parseUnits } from 'viem'
import { describe, expect, test } from 'vitest'
import { auditEntries } from '../src/db/schema/audit.ts'
import { coupons, planGrants } from '../src/db/schema/coupons.ts'
import { orders, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import * as adminRoutes from '../src/features/coupons/admin-routes.ts'
import * as routes from '../src/features/coupons/routes.ts'
import { createOrder } from '../src/features/payments/routes.ts'
import { findEntitlement } from '../src/features/subscriptions/service.ts'
import type { Input } from '../src/http/route.ts'
import {
  assertLedger,
  cancelOrder,
  getTimeAfterDue,
  makeOrder,
  payAt,
  readOrder,
  reportHash,
  runWatcherRound,
  sendPendingPayment,
} from './order-fixture.ts'
import {
  anna,
  bert,
  box,
  chain,
  clock,
  createAccount,
  createInput,
  findActivePlan,
  getWallet,
  payIto,
  readRefusal,
  setPaymentFixture,
} from './payment-fixture.ts'

setPaymentFixture()

type Endpoints = typeof endpoints
type Coupon = Input<Endpoints['createCoupon']>['body']

const parseIto = (amount: string) => parseUnits(amount, 18).toString()
const createRequest = (ip = '192.0.2.1', key?: string) => ({
  id: 'r',
  headers: key === undefined ? {} : { 'idempotency-key': key },
  ip,
})

async function createCoupon(change: Partial<Coupon> = {}) {
  const expiresAt = new Date(clock.now().getTime() + DAY_MS).toISOString()
  const body: Coupon = {
    code: 'LAUNCH',
    planTypes: ['6h', '24h', '3d'],
    maxUses: 10,
    maxUsesPerAccount: 1,
    expiresAt,
    note: 'Launch',
    ...(change.amountWei ? {} : { percent: 50 }),
    ...change,
  }
  const input = { ...createInput(bert, [], true), params: {}, body, request: createRequest() }
  return adminRoutes.createCoupon(box.ctx, input as unknown as Input<Endpoints['createCoupon']>)
}

function endCoupon(id: string) {
  const input = { ...createInput(bert, [], true), params: { id }, request: createRequest() }
  return adminRoutes.endCoupon(box.ctx, input as unknown as Input<Endpoints['endCoupon']>)
}

interface Buyer {
  by?: string
  wallet?: number
  code?: string
  ip?: string
  key?: string
}

function orderWithCoupon(
  planType: PlanId,
  { by = anna, wallet = 1, code = 'LAUNCH', ip, key }: Buyer = {},
): Promise<Order> {
  const body = { planType, walletAddress: getWallet(wallet), couponCode: code }
  const input = { ...createInput(by, [getWallet(wallet)]), params: {}, body, request: createRequest(ip, key) }
  return createOrder(box.ctx, input as unknown as Input<Endpoints['createOrder']>)
}

function quoteCoupon(code = 'LAUNCH', { by = anna, ip }: Buyer = {}) {
  const input = { ...createInput(by, []), params: {}, body: { couponCode: code }, request: createRequest(ip) }
  return routes.quoteCoupon(box.ctx, input as unknown as Input<Endpoints['quoteCoupon']>)
}

function redeemCoupon(planType: PlanId, { by = anna, code = 'LAUNCH', ip }: Buyer = {}) {
  const input = { ...createInput(by, []), params: {}, body: { couponCode: code, planType }, request: createRequest(ip) }
  return routes.redeemCoupon(box.ctx, input as unknown as Input<Endpoints['redeemCoupon']>)
}

function grantPlan(id: string, planType: PlanId) {
  const input = {
    ...createInput(bert, [], true),
    params: { id },
    body: { planType, reason: 'A trial' },
    request: createRequest(),
  }
  return adminRoutes.grantPlan(box.ctx, input as unknown as Input<Endpoints['grantPlan']>)
}

async function listCoupons() {
  const input = { ...createInput(bert, [], true), params: {}, query: { limit: 50 } }
  return (await adminRoutes.listCoupons(box.ctx, input as unknown as Input<Endpoints['listCoupons']>)).items
}

const readCode = async (answer: Promise<unknown>) => (await readRefusal(answer)).code
/** Counts the fulfilled promises. All others must be refused with this code. */
async function countFulfilled(answers: Promise<unknown>[], code: string): Promise<number> {
  const results = await Promise.allSettled(answers)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code })
  return results.filter(({ status }) => status === 'fulfilled').length
}

describe('a coupon: is refused', () => {
  test('with the same error when it is unknown, ended, expired, used up, or for another plan', async () => {
    await createCoupon({ code: 'EXPIRED', expiresAt: new Date(clock.now().getTime() + 1_000).toISOString() })
    const { id } = await createCoupon({ code: 'ENDED1' })
    await endCoupon(id)
    await createCoupon({ code: 'ONLY6H', planTypes: ['6h'] })
    await createCoupon({ code: 'USED-UP', maxUses: 1 })
    await orderWithCoupon('6h', { by: bert, wallet: 2, code: 'USED-UP' })
    clock.advance(2_000)
    const refusals = await Promise.all(
      ['UNKNOWN', 'EXPIRED', 'ENDED1', 'ONLY6H', 'USED-UP'].map((code) =>
        readRefusal(orderWithCoupon('24h', { code })),
      ),
    )
    expect(new Set(refusals.map(({ code, message }) => `${code} ${message}`)).size).toBe(1)
    expect(refusals[0]?.code).toBe('coupon_invalid')
    expect(await readCode(quoteCoupon('USED-UP'))).toBe('coupon_invalid')
    expect((await quoteCoupon('USED-UP', { by: bert })).prices).toHaveLength(3)
    expect(await box.ctx.db.$count(orders)).toBe(1)
  })

  test('after ten wrong codes of an account or forty of a network, even if the next code is right', async () => {
    await createCoupon()
    for (let index = 0; index < 10; index++)
      expect(await readCode(quoteCoupon(`WRONG-${index}`))).toBe('coupon_invalid')
    for (const attempt of [quoteCoupon, () => orderWithCoupon('6h'), () => redeemCoupon('6h')]) {
      expect(await readCode(attempt())).toBe('too_many_requests')
    }
    for (let account = 0; account < 3; account++) {
      const by = await createAccount(`guesser-${account}`, 3 + account)
      for (let index = 0; index < 10; index++) await readRefusal(quoteCoupon(`WRONG-${index}`, { by }))
    }
    expect(await readCode(quoteCoupon('LAUNCH', { by: bert }))).toBe('too_many_requests')
    expect((await quoteCoupon('launch'.toUpperCase(), { by: bert, ip: '198.51.100.7' })).prices).toHaveLength(3)
    clock.advance(HOUR_MS)
    for (let index = 0; index < 30; index++) await quoteCoupon('LAUNCH')
  })

  test('for an order when it pays the whole price, and for a redemption when it does not', async () => {
    await createCoupon({ code: 'ALL-OF-IT', percent: 100 })
    await createCoupon()
    expect(await readCode(orderWithCoupon('6h', { code: 'ALL-OF-IT' }))).toBe('coupon_pays_all')
    expect(await readCode(redeemCoupon('6h'))).toBe('coupon_invalid')
    expect(await box.ctx.db.$count(planGrants)).toBe(0)
  })

  test('when it is created with a taken code or a past expiry, or ended a second time', async () => {
    const { id } = await createCoupon()
    expect(await readCode(createCoupon())).toBe('coupon_code_taken')
    expect(await readCode(createCoupon({ code: 'TOO-LATE', expiresAt: clock.now().toISOString() }))).toBe('malformed')
    await endCoupon(id)
    expect(await readCode(endCoupon(id))).toBe('already_resolved')
    expect(await readCode(endCoupon('no id'))).toBe('not_found')
    const rows = await box.ctx.db.select().from(auditEntries).orderBy(auditEntries.id)
    expect(rows.map(({ action, subject }) => [action, subject])).toEqual([
      ['coupon_created', id],
      ['coupon_ended', id],
    ])
  })

  test('by the database when its discount is out of range, missing, or both a percentage and an amount', async () => {
    const values = {
      code: 'FORGED',
      planIds: ['6h' as const],
      maxUses: 1,
      maxUsesPerAccount: 1,
      expiresAt: clock.now(),
      note: '',
      createdAt: clock.now(),
    }
    for (const discount of [{ percent: 0 }, { percent: 101 }, { amountWei: -1n }, { percent: 5, amountWei: 5n }, {}]) {
      await expect(box.ctx.db.insert(coupons).values({ ...values, ...discount })).rejects.toThrow()
    }
  })
})

describe('a coupon: is not used more often than allowed', () => {
  test('when six accounts order at the same time', async () => {
    await createCoupon({ maxUses: 1 })
    const accounts = await Promise.all(
      Array.from({ length: 6 }, (_, index) => createAccount(`buyer-${index}`, 3 + index)),
    )
    const attempts = accounts.map((by, index) =>
      orderWithCoupon('6h', { by, wallet: 3 + index, ip: `203.0.113.${index}` }),
    )
    expect(await countFulfilled(attempts, 'coupon_invalid')).toBe(1)
    expect((await listCoupons())[0]).toMatchObject({ used: 0, reserved: 1 })
  })

  test('when five accounts send two concurrent redemptions each', async () => {
    await createCoupon({ percent: 100, maxUses: 3, maxUsesPerAccount: 3 })
    const accounts = await Promise.all(
      Array.from({ length: 5 }, (_, index) => createAccount(`trier-${index}`, 3 + index)),
    )
    const results = await Promise.allSettled(
      accounts.flatMap((by, index) => [
        redeemCoupon('6h', { by, ip: `203.0.113.${index}` }),
        redeemCoupon('6h', { by, ip: `203.0.113.${index}` }),
      ]),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await box.ctx.db.$count(planGrants)).toBe(3)
    expect((await listCoupons())[0]).toMatchObject({
      used: 3,
      reserved: 0,
      state: 'used_up',
      discountWei: parseIto('30'),
    })
  })

  test('by one account with another wallet, or by one wallet for another account', async () => {
    await createCoupon()
    await box.ctx.db.insert(wallets).values({ address: getWallet(3), accountId: anna, linkedAt: clock.now() })
    const { id } = await orderWithCoupon('6h')
    // An order whose transaction is pending is not replaced.
    await reportHash(id, `0x${'77'.repeat(32)}`)
    expect(await readCode(orderWithCoupon('6h', { wallet: 3 }))).toBe('coupon_invalid')
    expect(await readCode(orderWithCoupon('24h'))).toBe('coupon_invalid')
    // Assigns the wallet to another account.
    await box.ctx.db.update(wallets).set({ accountId: bert })
    expect(await readCode(orderWithCoupon('6h', { by: bert, wallet: 1 }))).toBe('coupon_invalid')
  })
})

describe('an order with a coupon', () => {
  test('keeps its price when the coupon expires or ends during the purchase', async () => {
    const { id } = await createCoupon({ expiresAt: new Date(clock.now().getTime() + 60_000).toISOString() })
    const order = await orderWithCoupon('24h')
    expect(order).toMatchObject({ priceWei: parseIto('15'), coupon: { code: 'LAUNCH', listPriceWei: parseIto('30') } })
    await endCoupon(id)
    clock.advance(120_000)
    await payIto(1, '15')
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', flags: [], paidWei: parseIto('15') })
    expect((await findActivePlan(anna))?.planType).toBe('24h')
    expect((await listCoupons())[0]).toMatchObject({
      used: 1,
      reserved: 0,
      state: 'ended',
      discountWei: parseIto('15'),
    })
    await assertLedger()
  })

  test('is not paid by less than its price, and does not change the price of other purchases', async () => {
    await createCoupon()
    const order = await orderWithCoupon('24h')
    await payIto(1, '14.999999999999999999')
    await runWatcherRound()
    expect((await readOrder(order.id)).status).toBe('underpaid')
    expect((await makeOrder('24h', { wallet: 2, by: bert })).priceWei).toBe(parseIto('30'))
    await payIto(2, '15')
    await runWatcherRound()
    expect(await findActivePlan(bert, bert)).toBeNull()
  })

  test('is refused when an order of another plan has the same price, whichever of the two is made first', async () => {
    await createCoupon({ code: 'SAME-AMOUNT', amountWei: parseIto('45'), planTypes: ['3d'] })
    const plain = await makeOrder('24h')
    expect(await readCode(orderWithCoupon('3d', { code: 'SAME-AMOUNT' }))).toBe('order_ambiguous')
    await cancelOrder(plain.id)
    expect(await readCode(orderWithCoupon('3d', { code: 'SAME-AMOUNT' }))).toBe('order_ambiguous')
    clock.advance(60_000)
    const reducedOrder = await orderWithCoupon('3d', { code: 'SAME-AMOUNT' })
    expect(await readCode(makeOrder('24h'))).toBe('order_ambiguous')
    await payAt(1, '30', clock.now())
    await runWatcherRound()
    expect(await readOrder(reducedOrder.id)).toMatchObject({ status: 'paid' })
    expect((await findActivePlan(anna))?.planType).toBe('3d')
    await assertLedger()
  })

  test('is created once when the same request is repeated concurrently', async () => {
    await createCoupon()
    const made = await Promise.all(Array.from({ length: 8 }, () => orderWithCoupon('6h')))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    // Without the code, this is a different purchase at the list price.
    expect(await makeOrder('6h')).toMatchObject({ priceWei: parseIto('10'), coupon: null })
  })

  test('is returned to a repeated request after its coupon ended, and to the same key after cancellation', async () => {
    const coupon = await createCoupon()
    const madeOrder = await orderWithCoupon('6h', { key: 'first' })
    await endCoupon(coupon.id)
    expect((await orderWithCoupon('6h', { key: 'first' })).id).toBe(madeOrder.id)
    expect((await orderWithCoupon('6h')).id).toBe(madeOrder.id)
    expect(await readCode(orderWithCoupon('24h'))).toBe('coupon_invalid')
    await cancelOrder(madeOrder.id)
    expect((await orderWithCoupon('6h', { key: 'first' })).id).toBe(madeOrder.id)
    expect(await readCode(orderWithCoupon('6h'))).toBe('coupon_invalid')
  })

  test.each(['LAUNCH', 'UNKNOWN'])(
    'gets the same error for a reused key or an active plan whether its code exists or not: %s',
    async (code) => {
      await createCoupon()
      await makeOrder('6h', { key: 'first' })
      expect(await readCode(orderWithCoupon('6h', { code, key: 'first' }))).toBe('idempotency_mismatch')
      await payIto(1, '10')
      await runWatcherRound()
      expect(await readCode(orderWithCoupon('6h', { code }))).toBe('subscription_active')
    },
  )

  test('is left to an operator when it is paid late', async () => {
    await createCoupon()
    const order = await orderWithCoupon('6h')
    await payAt(1, '5', getTimeAfterDue(order, 1_000))
    await runWatcherRound()
    expect(await readOrder(order.id)).toMatchObject({ status: 'expired', flags: ['late'] })
    expect(await box.ctx.db.select().from(unmatchedTransfers)).toMatchObject([{ reason: 'late', orderId: order.id }])
  })

  test('tells the buyer that the operator decides about a late payment when it is cancelled, expired or underpaid', async () => {
    await createCoupon({ maxUsesPerAccount: 3 })
    const notCredited =
      'A payment that arrives now is not credited automatically: the operator sees it and decides about it.'
    const cancelledOrder = await orderWithCoupon('6h')
    await cancelOrder(cancelledOrder.id)
    const expiredOrder = await orderWithCoupon('24h')
    const underpaidOrder = await orderWithCoupon('24h', { by: bert, wallet: 2 })
    await payIto(2, '5')
    await runWatcherRound()
    clock.advance(HOUR_MS)
    const { expiresAt: watchedUntil } = expiredOrder
    const matchEnd = (text: string) => expect.stringMatching(new RegExp(`${text}$`))
    expect(await readOrder(cancelledOrder.id)).toMatchObject({ status: 'cancelled', message: matchEnd(notCredited) })
    expect(await readOrder(expiredOrder.id)).toMatchObject({
      status: 'expired',
      message: matchEnd(notCredited),
      watchedUntil,
    })
    const message = matchEnd('The operator sees it and decides: write to support.')
    expect(await readOrder(underpaidOrder.id, { by: bert })).toMatchObject({ status: 'underpaid', message })
  })

  test('releases its coupon use when it is cancelled, and its earlier payment is left to an operator', async () => {
    await createCoupon({ maxUses: 1 })
    const firstOrder = await orderWithCoupon('6h')
    expect(await readCode(orderWithCoupon('6h', { by: bert, wallet: 2 }))).toBe('coupon_invalid')
    // The order was paid before the cancellation, but the server reads the payment only afterwards.
    await payIto(1, '5')
    clock.advance(5_000)
    await cancelOrder(firstOrder.id)
    const second = await orderWithCoupon('6h', { by: bert, wallet: 2 })
    await runWatcherRound()
    expect(await findActivePlan(anna)).toBeNull()
    expect(await box.ctx.db.select().from(unmatchedTransfers)).toMatchObject([
      { reason: 'late', orderId: firstOrder.id },
    ])
    await payIto(2, '5')
    await runWatcherRound()
    expect(await readOrder(second.id, { by: bert })).toMatchObject({ status: 'paid' })
    expect((await listCoupons())[0]).toMatchObject({ used: 1, reserved: 0 })
    await assertLedger()
  })

  test('no longer counts as a reserved use of its coupon when it is cancelled, or more than an hour after it expired', async () => {
    await createCoupon()
    const readReserved = async () => (await listCoupons())[0]?.reserved
    await cancelOrder((await orderWithCoupon('6h')).id)
    expect(await readReserved()).toBe(0)
    const order = await orderWithCoupon('24h', { by: bert, wallet: 2 })
    clock.advance(Date.parse(order.expiresAt) - clock.now().getTime() + HOUR_MS)
    expect(await readReserved()).toBe(1)
    clock.advance(1)
    expect(await readReserved()).toBe(0)
  })

  test('is cancelled while it is unpaid when its buyer chooses another plan with the same coupon', async () => {
    await createCoupon({ maxUses: 1 })
    const abandonedOrder = await orderWithCoupon('24h')
    clock.advance(1_000)
    expect((await quoteCoupon()).prices).toHaveLength(3)
    const chosenOrder = await orderWithCoupon('6h')
    expect(await readOrder(abandonedOrder.id)).toMatchObject({
      status: 'cancelled',
      message: expect.stringMatching(/^A newer purchase has replaced it\./),
    })
    await payIto(1, '5')
    await runWatcherRound()
    expect(await readOrder(chosenOrder.id)).toMatchObject({ status: 'paid' })
    expect((await listCoupons())[0]).toMatchObject({ used: 1, reserved: 0 })
    expect(await readCode(quoteCoupon())).toBe('coupon_invalid')
    await assertLedger()
  })

  test('is not cancelled for another plan while a part of its price has arrived', async () => {
    await createCoupon()
    const { id } = await orderWithCoupon('24h')
    await payIto(1, '1')
    await runWatcherRound()
    expect(await readCode(orderWithCoupon('6h'))).toBe('coupon_invalid')
    expect(await readOrder(id)).toMatchObject({ status: 'underpaid' })
  })

  test('keeps the use of its coupon for an hour after it expired', async () => {
    await createCoupon({ maxUses: 1 })
    const order = await orderWithCoupon('6h')
    clock.advance(Date.parse(order.expiresAt) - clock.now().getTime() + HOUR_MS)
    expect(await readCode(orderWithCoupon('6h', { by: bert, wallet: 2 }))).toBe('coupon_invalid')
    clock.advance(1)
    expect((await orderWithCoupon('6h', { by: bert, wallet: 2 })).priceWei).toBe(parseIto('5'))
  })

  test('keeps the use of its coupon when its transaction is reported before it is cancelled', async () => {
    await createCoupon({ maxUses: 1 })
    const order = await orderWithCoupon('6h')
    await chain.control.setAutomine(false)
    const hash = await sendPendingPayment(1, '5')
    await reportHash(order.id, hash)
    const paidAt = clock.now()
    clock.advance(60_000)
    await cancelOrder(order.id)
    expect(await readCode(orderWithCoupon('6h', { by: bert, wallet: 2 }))).toBe('coupon_invalid')
    await chain.control.setAutomine(true)
    await chain.control.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(paidAt.getTime() / 1_000) + 30) })
    await chain.mine()
    await runWatcherRound()
    expect(await findActivePlan(anna)).not.toBeNull()
  })
})

describe('a plan without a payment', () => {
  test('starts with a coupon that pays all, once per account', async () => {
    await createCoupon({ percent: 100, planTypes: ['6h'] })
    expect((await quoteCoupon()).prices).toEqual([{ planType: '6h', listPriceWei: parseIto('10'), priceWei: '0' }])
    expect(await redeemCoupon('6h')).toMatchObject({ tokenAmount: '0', transactionHash: null, isActive: true })
    expect(await readCode(redeemCoupon('6h'))).toBe('subscription_active')
    clock.advance(6 * HOUR_MS)
    expect(await findEntitlement(box.ctx, anna, clock.now())).toBeNull()
    expect(await readCode(redeemCoupon('6h'))).toBe('coupon_invalid')
    await assertLedger()
  })

  test('is given by an admin after the other plans of the account, with an audit entry', async () => {
    await grantPlan(anna, '6h')
    await grantPlan(anna, '24h')
    const entitled = await findEntitlement(box.ctx, anna, clock.now())
    expect(entitled && entitled.endsAt.getTime() - clock.now().getTime()).toBe(30 * HOUR_MS)
    expect(await readCode(grantPlan('00000000-0000-4000-8000-000000000000', '6h'))).toBe('not_found')
    const rows = await box.ctx.db.select().from(auditEntries)
    expect(rows.map(({ action, subject, reason }) => [action, subject, reason])).toEqual([
      ['plan_granted', anna, 'A trial'],
      ['plan_granted', anna, 'A trial'],
    ])
  })
})
