import type { endpoints, OrderFlag, PlanId } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { auditEntries } from '../src/db/schema/audit.ts'
import { orders } from '../src/db/schema/payments.ts'
import * as ledger from '../src/features/payments/admin-routes.ts'
import type { Input } from '../src/http/route.ts'
import {
  assertLedger,
  getTimeAfterDue,
  listBuyerOrders,
  makeOrder,
  payAt,
  readOrder,
  runWatcherRound,
} from './order-fixture.ts'
import {
  anna,
  bert,
  box,
  chain,
  clock,
  payIto,
  postSubscription,
  readRefusal,
  setPaymentFixture,
} from './payment-fixture.ts'

/** Tests purchases whose payment differed from the order, until an admin resolves them. */

setPaymentFixture()

type Endpoints = typeof endpoints
const createInput = (more: object) =>
  ({ params: {}, query: {}, actor: { accountId: bert }, request: { id: 'request-1' }, ...more }) as unknown
const unknownId = '00000000-0000-4000-8000-000000000000'

async function listOrders(flag?: OrderFlag, state?: 'open' | 'resolved') {
  const request = createInput({ query: { flag, state, limit: 50 } }) as Input<Endpoints['listAdminOrders']>
  return (await ledger.listAdminOrders(box.ctx, request)).items
}
const readIds = async (...filters: Parameters<typeof listOrders>) => (await listOrders(...filters)).map(({ id }) => id)

async function resolveOrder(id: string, action: 'refund_noted' | 'ignore' = 'refund_noted', reason = 'By hand') {
  const request = createInput({ params: { id }, body: { action, reason } })
  return ledger.resolveOrder(box.ctx, request as Input<Endpoints['resolveOrder']>)
}
const listAuditEntries = () => box.ctx.db.select().from(auditEntries)

/** Buys a plan of 10 ITO and pays with transfers of these amounts. */
async function buyPlan(...amounts: string[]) {
  const order = await makeOrder('6h')
  for (const amount of amounts) await payIto(1, amount)
  await runWatcherRound()
  return order
}

test.each([
  ['that does not exist', () => Promise.resolve(unknownId)],
  ['without a proper id', () => Promise.resolve('x')],
  ['that was not paid', async () => (await buyPlan()).id],
  ['that was paid exactly', async () => (await buyPlan('10')).id],
  ['that is underpaid, which is listed as an unmatched payment', async () => (await buyPlan('4')).id],
])('unusual purchases: a purchase %s can’t be resolved', async (_, findId) => {
  const id = await findId()
  expect((await readRefusal(resolveOrder(id))).code).toBe('not_found')
  expect(await listAuditEntries()).toEqual([])
  expect(await listOrders(undefined, 'resolved')).toEqual([])
})

test('unusual purchases: are resolved once when two admins act concurrently, and are audited', async () => {
  const { id } = await buyPlan('12')
  const outcomes = await Promise.allSettled([
    resolveOrder(id, 'refund_noted', 'sent back'),
    resolveOrder(id, 'refund_noted', 'sent back'),
  ])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await readRefusal(resolveOrder(id, 'ignore'))).code).toBe('already_resolved')
  expect([await readIds('over', 'open'), await readIds('over', 'resolved')]).toEqual([[], [id]])
  expect(await listOrders('over')).toMatchObject([
    { id, resolution: 'refund_noted', resolutionReason: 'sent back', resolvedAt: clock.now().toISOString() },
  ])
  expect(await listAuditEntries()).toMatchObject([
    {
      actorId: bert,
      action: 'order_refund_noted',
      subject: id,
      reason: 'sent back',
      requestId: 'request-1',
      detail: { priceWei: `1${'0'.repeat(19)}`, receivedWei: `12${'0'.repeat(18)}`, flags: 'over' },
    },
  ])
  // Resolving an order only records a note. Grants and the payment ledger do not change.
  await assertLedger()
})

test.each([
  ['refund_noted', '2 ITO more than the price arrived. The operator has noted that it is sent back.'],
  ['ignore', '2 ITO more than the price arrived. The operator sees it.'],
] as const)(
  'unusual purchases: after the action "%s", the buyer of an overpaid order sees the message: %s',
  async (action, message) => {
    const { id } = await buyPlan('12')
    expect((await readOrder(id)).message).toBe('2 ITO more than the price arrived. The operator sees it.')
    await resolveOrder(id, action)
    const resolvedOrder = await readOrder(id)
    expect(resolvedOrder.message).toBe(message)
    // The reason is visible only to admins.
    expect(resolvedOrder).not.toHaveProperty('resolutionReason')
  },
)

test('unusual purchases: are listed by flag with payer, owner and all transfers', async () => {
  const { id, payer } = await buyPlan('4', '7')
  expect(await listOrders('over', 'open')).toMatchObject([
    {
      id,
      payer,
      status: 'paid',
      owner: { id: anna, name: 'anna' },
      // `under`, because the order was underpaid until the second transfer arrived.
      flags: ['multiple', 'over', 'under'],
      excessWei: `1${'0'.repeat(18)}`,
      transfers: [
        { amountWei: `4${'0'.repeat(18)}`, standing: 'counted' },
        { amountWei: `7${'0'.repeat(18)}`, standing: 'counted' },
      ],
      resolvedAt: null,
      resolution: null,
      resolutionReason: null,
    },
  ])
  expect([await readIds('multiple'), await readIds('late'), await readIds('under')]).toEqual([[id], [], [id]])
  const [order] = await listOrders('over')
  const blocks = await Promise.all(
    (order?.transfers ?? []).map(({ transactionHash }) =>
      chain.client.getTransactionReceipt({ hash: transactionHash as `0x${string}` }),
    ),
  )
  expect(blocks.map(({ status }) => status)).toEqual(['success', 'success'])
})

async function findUnmatched() {
  const request = createInput({ query: { state: 'open', limit: 50 } }) as Input<Endpoints['listUnmatchedPayments']>
  const [item] = (await ledger.listUnmatchedPayments(box.ctx, request)).items
  if (!item) throw new Error('Nothing is unmatched')
  return item
}

async function creditUnmatched(accountId: string, planId: PlanId) {
  const { id } = await findUnmatched()
  const request = createInput({ params: { id }, body: { action: 'credit', accountId, planId, reason: 'By hand' } })
  await ledger.resolveUnmatchedPayment(box.ctx, request as Input<Endpoints['resolveUnmatchedPayment']>)
}
const formatIto = (whole: number) => `${whole}${'0'.repeat(18)}`
async function listResolved() {
  const request = createInput({ query: { state: 'resolved', limit: 50 } }) as Input<Endpoints['listUnmatchedPayments']>
  return (await ledger.listUnmatchedPayments(box.ctx, request)).items
}

test('unusual purchases: an overpaid payment credited by an admin is listed as open until it is resolved', async () => {
  await payIto(9, '28')
  await runWatcherRound()
  expect(await listOrders('over')).toEqual([])
  await creditUnmatched(anna, '6h')
  const [overpaidOrder] = await listOrders('over', 'open')
  expect(overpaidOrder).toMatchObject({
    status: 'paid',
    flags: ['over'],
    planType: '6h',
    owner: { id: anna },
    priceWei: formatIto(10),
    paidWei: formatIto(28),
    excessWei: formatIto(18),
    transfers: [{ amountWei: formatIto(28), standing: 'counted' }],
    resolvedBy: null,
  })
  expect(await listResolved()).toMatchObject([{ credit: { excessWei: formatIto(18), excessResolution: null } }])
  const { id } = overpaidOrder as { id: string }
  const message = '18 ITO more than the price arrived. The operator sees it.'
  expect((await listBuyerOrders()).items).toMatchObject([
    { id, priceWei: formatIto(10), excessWei: formatIto(18), message },
  ])

  const outcomes = await Promise.allSettled([resolveOrder(id, 'refund_noted', 'sent back'), resolveOrder(id)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect([await readIds('over', 'open'), await readIds('over', 'resolved'), await readIds('late')]).toEqual([
    [],
    [id],
    [],
  ])
  expect(await listOrders('over')).toMatchObject([
    { resolution: 'refund_noted', resolvedBy: { id: bert, name: 'bert' } },
  ])
  expect(await listResolved()).toMatchObject([{ credit: { excessResolution: 'refund_noted' } }])
  expect((await listBuyerOrders()).items[0]?.message).toMatch(/noted that it is sent back/)
  expect((await listAuditEntries()).at(-1)).toMatchObject({
    action: 'order_refund_noted',
    subject: id,
    detail: { priceWei: formatIto(10), receivedWei: formatIto(28), flags: 'over' },
  })
  await assertLedger()
})

test('unusual purchases: the flag filter “over” lists overpaid claims and omits exact payments', async () => {
  const { transactionHash } = await payIto(1, '12')
  await postSubscription({ hash: transactionHash })
  await payIto(2, '30')
  await runWatcherRound()
  expect((await listOrders('over')).map(({ owner, excessWei }) => [owner?.id, excessWei])).toEqual([
    [anna, formatIto(2)],
  ])
  // Without a flag filter, the list contains all purchases.
  expect((await listOrders()).map(({ owner }) => owner?.id).sort()).toEqual([anna, bert].sort())
})

test('unusual purchases: a credited payment can be both late and overpaid', async () => {
  const order = await makeOrder('6h')
  // Changes the price, because a late payment is credited automatically only at the current price.
  await box.ctx.db.update(orders).set({ priceWei: 12n * 10n ** 18n })
  await payAt(1, '14', getTimeAfterDue(order, 1_000))
  await runWatcherRound()
  expect([await readIds('late'), await readIds('over')]).toEqual([[order.id], []])
  await creditUnmatched(anna, '6h')
  expect(await listOrders('over', 'open')).toMatchObject([
    { id: order.id, flags: ['late', 'over'], excessWei: formatIto(2) },
  ])
  expect(await listResolved()).toMatchObject([{ credit: { excessWei: formatIto(2) } }])
})

test('unusual purchases: are paged without gaps across orders and payments without an order', async () => {
  const madeIds: string[] = []
  for (const from of [9, 1, 9]) {
    if (from === 1) madeIds.push((await buyPlan('12')).id)
    else {
      await payIto(from, '28')
      await runWatcherRound()
      await creditUnmatched(bert, '6h')
      madeIds.push(...(await readIds('over')).filter((id) => !madeIds.includes(id)))
    }
    clock.advance(60_000)
  }
  const seenIds: string[] = []
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const request = createInput({ query: { flag: 'over', limit: 1, cursor } }) as Input<Endpoints['listAdminOrders']>
    const page = await ledger.listAdminOrders(box.ctx, request)
    seenIds.push(...page.items.map(({ id }) => id))
    cursor = page.next ?? undefined
    isMore = page.next !== null
  }
  expect(seenIds).toEqual(madeIds.reverse())
})

test('unusual purchases: a later transfer reopens a resolved purchase', async () => {
  const order = await makeOrder('6h')
  await payAt(1, '4', getTimeAfterDue(order, 1_000))
  await runWatcherRound()
  expect(await listOrders('late')).toMatchObject([{ id: order.id, transfers: [{ standing: 'unmatched' }] }])
  await resolveOrder(order.id, 'ignore')
  expect(await readIds('late', 'open')).toEqual([])
  await payIto(1, '6')
  await runWatcherRound()
  expect(await listOrders('late', 'open')).toMatchObject([
    { id: order.id, status: 'paid', resolution: null, resolutionReason: null, transfers: [{}, {}] },
  ])
  expect((await listAuditEntries()).map(({ action }) => action)).toEqual(['order_ignored'])
  await assertLedger()
})

test('unusual purchases: changes are announced to the admin pages', async () => {
  const { id } = await buyPlan('12')
  const announced = new Promise<void>((announce) =>
    box.ctx.notifications.on('admin', (area) => area === 'payments' && announce()),
  )
  await resolveOrder(id)
  await announced
  expect(await box.ctx.db.$count(orders)).toBe(1)
})
