import type { endpoints, OrderFlag, PlanId } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { auditEntries } from '../src/db/schema/audit.ts'
import { orders } from '../src/db/schema/payments.ts'
import * as ledger from '../src/features/payments/admin-routes.ts'
import type { Input } from '../src/http/route.ts'
import { afterDue, assertLedger, listMine, makeOrder, payAt, readOrder, watch } from './order-fixture.ts'
import { anna, bert, box, chain, clock, payIto, post, readRefusal, setPaymentFixture } from './payment-fixture.ts'

/** Tests purchases whose payment differed from the order, until an admin resolves them. */

setPaymentFixture()

type Endpoints = typeof endpoints
const input = (more: object) =>
  ({ params: {}, query: {}, actor: { accountId: bert }, request: { id: 'request-1' }, ...more }) as unknown
const unknownId = '00000000-0000-4000-8000-000000000000'

async function list(flag?: OrderFlag, state?: 'open' | 'resolved') {
  const request = input({ query: { flag, state, limit: 50 } }) as Input<Endpoints['listAdminOrders']>
  return (await ledger.listAdminOrders(box.ctx, request)).items
}
const readIds = async (...which: Parameters<typeof list>) => (await list(...which)).map(({ id }) => id)

async function resolve(id: string, action: 'refund_noted' | 'ignore' = 'refund_noted', reason = 'By hand') {
  const request = input({ params: { id }, body: { action, reason } })
  return ledger.resolveOrder(box.ctx, request as Input<Endpoints['resolveOrder']>)
}
const trail = () => box.ctx.db.select().from(auditEntries)

/** Buys a plan of 10 ITO and pays with transfers of these amounts. */
async function buy(...amounts: string[]) {
  const order = await makeOrder('6h')
  for (const amount of amounts) await payIto(1, amount)
  await watch()
  return order
}

test.each([
  ['that does not exist', () => Promise.resolve(unknownId)],
  ['without a proper id', () => Promise.resolve('x')],
  ['that was not paid', async () => (await buy()).id],
  ['that was paid exactly', async () => (await buy('10')).id],
  ['that is underpaid, which is listed as an unmatched payment', async () => (await buy('4')).id],
])('unusual purchases: a purchase %s can’t be resolved', async (_, findId) => {
  const id = await findId()
  expect((await readRefusal(resolve(id))).code).toBe('not_found')
  expect(await trail()).toEqual([])
  expect(await list(undefined, 'resolved')).toEqual([])
})

test('unusual purchases: are resolved once when two admins act concurrently, and are audited', async () => {
  const { id } = await buy('12')
  const outcomes = await Promise.allSettled([
    resolve(id, 'refund_noted', 'sent back'),
    resolve(id, 'refund_noted', 'sent back'),
  ])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await readRefusal(resolve(id, 'ignore'))).code).toBe('already_resolved')
  expect([await readIds('over', 'open'), await readIds('over', 'resolved')]).toEqual([[], [id]])
  expect(await list('over')).toMatchObject([
    { id, resolution: 'refund_noted', resolutionReason: 'sent back', resolvedAt: clock.now().toISOString() },
  ])
  expect(await trail()).toMatchObject([
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
] as const)('unusual purchases: show the overpayment to the buyer, and after "%s": %s', async (action, message) => {
  const { id } = await buy('12')
  expect((await readOrder(id)).message).toBe('2 ITO more than the price arrived. The operator sees it.')
  await resolve(id, action)
  const seen = await readOrder(id)
  expect(seen.message).toBe(message)
  // The reason is visible only to admins.
  expect(seen).not.toHaveProperty('resolutionReason')
})

test('unusual purchases: are listed by flag with payer, owner and all transfers', async () => {
  const { id, payer } = await buy('4', '7')
  expect(await list('over', 'open')).toMatchObject([
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
  const [order] = await list('over')
  const blocks = await Promise.all(
    (order?.transfers ?? []).map(({ transactionHash }) =>
      chain.client.getTransactionReceipt({ hash: transactionHash as `0x${string}` }),
    ),
  )
  expect(blocks.map(({ status }) => status)).toEqual(['success', 'success'])
})

async function findUnmatched() {
  const request = input({ query: { state: 'open', limit: 50 } }) as Input<Endpoints['listUnmatchedPayments']>
  const [item] = (await ledger.listUnmatchedPayments(box.ctx, request)).items
  if (!item) throw new Error('Nothing is unmatched')
  return item
}

async function credit(accountId: string, planId: PlanId) {
  const { id } = await findUnmatched()
  const request = input({ params: { id }, body: { action: 'credit', accountId, planId, reason: 'By hand' } })
  await ledger.resolveUnmatchedPayment(box.ctx, request as Input<Endpoints['resolveUnmatchedPayment']>)
}
const ito = (whole: number) => `${whole}${'0'.repeat(18)}`
async function listResolved() {
  const request = input({ query: { state: 'resolved', limit: 50 } }) as Input<Endpoints['listUnmatchedPayments']>
  return (await ledger.listUnmatchedPayments(box.ctx, request)).items
}

test('unusual purchases: include overpaid manual credits until they are resolved', async () => {
  await payIto(9, '28')
  await watch()
  expect(await list('over')).toEqual([])
  await credit(anna, '6h')
  const [over] = await list('over', 'open')
  expect(over).toMatchObject({
    status: 'paid',
    flags: ['over'],
    planType: '6h',
    owner: { id: anna },
    priceWei: ito(10),
    paidWei: ito(28),
    excessWei: ito(18),
    transfers: [{ amountWei: ito(28), standing: 'counted' }],
    resolvedBy: null,
  })
  expect(await listResolved()).toMatchObject([{ credit: { excessWei: ito(18), excessResolution: null } }])
  const { id } = over as { id: string }
  const message = '18 ITO more than the price arrived. The operator sees it.'
  expect((await listMine()).items).toMatchObject([{ id, priceWei: ito(10), excessWei: ito(18), message }])

  const outcomes = await Promise.allSettled([resolve(id, 'refund_noted', 'sent back'), resolve(id)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect([await readIds('over', 'open'), await readIds('over', 'resolved'), await readIds('late')]).toEqual([
    [],
    [id],
    [],
  ])
  expect(await list('over')).toMatchObject([{ resolution: 'refund_noted', resolvedBy: { id: bert, name: 'bert' } }])
  expect(await listResolved()).toMatchObject([{ credit: { excessResolution: 'refund_noted' } }])
  expect((await listMine()).items[0]?.message).toMatch(/noted that it is sent back/)
  expect((await trail()).at(-1)).toMatchObject({
    action: 'order_refund_noted',
    subject: id,
    detail: { priceWei: ito(10), receivedWei: ito(28), flags: 'over' },
  })
  await assertLedger()
})

test('unusual purchases: include overpaid claims but not exact ones', async () => {
  const { transactionHash } = await payIto(1, '12')
  await post({ hash: transactionHash })
  await payIto(2, '30')
  await watch()
  expect((await list('over')).map(({ owner, excessWei }) => [owner?.id, excessWei])).toEqual([[anna, ito(2)]])
  // Without a flag filter they are listed as purchases.
  expect((await list()).map(({ owner }) => owner?.id).sort()).toEqual([anna, bert].sort())
})

test('unusual purchases: a credited payment can be both late and overpaid', async () => {
  const order = await makeOrder('6h')
  // Changes the price, because a late payment is credited automatically only at the current price.
  await box.ctx.db.update(orders).set({ priceWei: 12n * 10n ** 18n })
  await payAt(1, '14', afterDue(order, 1_000))
  await watch()
  expect([await readIds('late'), await readIds('over')]).toEqual([[order.id], []])
  await credit(anna, '6h')
  expect(await list('over', 'open')).toMatchObject([{ id: order.id, flags: ['late', 'over'], excessWei: ito(2) }])
  expect(await listResolved()).toMatchObject([{ credit: { excessWei: ito(2) } }])
})

test('unusual purchases: are paged without gaps across orders and payments without an order', async () => {
  const made: string[] = []
  for (const from of [9, 1, 9]) {
    if (from === 1) made.push((await buy('12')).id)
    else {
      await payIto(from, '28')
      await watch()
      await credit(bert, '6h')
      made.push(...(await readIds('over')).filter((id) => !made.includes(id)))
    }
    clock.advance(60_000)
  }
  const seen: string[] = []
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const request = input({ query: { flag: 'over', limit: 1, cursor } }) as Input<Endpoints['listAdminOrders']>
    const page = await ledger.listAdminOrders(box.ctx, request)
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.next ?? undefined
    isMore = page.next !== null
  }
  expect(seen).toEqual(made.reverse())
})

test('unusual purchases: a later transfer reopens a resolved purchase', async () => {
  const order = await makeOrder('6h')
  await payAt(1, '4', afterDue(order, 1_000))
  await watch()
  expect(await list('late')).toMatchObject([{ id: order.id, transfers: [{ standing: 'unmatched' }] }])
  await resolve(order.id, 'ignore')
  expect(await readIds('late', 'open')).toEqual([])
  await payIto(1, '6')
  await watch()
  expect(await list('late', 'open')).toMatchObject([
    { id: order.id, status: 'paid', resolution: null, resolutionReason: null, transfers: [{}, {}] },
  ])
  expect((await trail()).map(({ action }) => action)).toEqual(['order_ignored'])
  await assertLedger()
})

test('unusual purchases: changes are announced to the admin pages', async () => {
  const { id } = await buy('12')
  const announced = new Promise<void>((announce) =>
    box.ctx.notifications.on('admin', (area) => area === 'payments' && announce()),
  )
  await resolve(id)
  await announced
  expect(await box.ctx.db.$count(orders)).toBe(1)
})
