import type { endpoints, ListedPayment } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, test } from 'vitest'
import { auditEntries } from '../src/db/schema/audit.ts'
import { orders, payments } from '../src/db/schema/payments.ts'
import * as ledger from '../src/features/payments/admin-routes.ts'
import { exportPayments, listPayments } from '../src/features/payments/payment-list.ts'
import type { Input } from '../src/http/route.ts'
import { makeOrder, payAt, runWatcherRound } from './order-fixture.ts'
import { anna, bert, box, clock, getWallet, payIto, postSubscription, setPaymentFixture } from './payment-fixture.ts'

setPaymentFixture()

type Query = Partial<Input<typeof endpoints.listPayments>['query']>
const createInput = (more: object) =>
  ({ params: {}, query: {}, actor: { accountId: bert }, request: { id: 'request-1' }, ...more }) as unknown

const listPage = (query: Query = {}) =>
  listPayments(box.ctx, createInput({ query: { limit: 50, ...query } }) as Input<typeof endpoints.listPayments>)
const getStates = (items: ListedPayment[]) => items.map(({ state }) => state)

/** Pays a minute after the previous payment. */
const payLater = (from: number, ito: string) => payAt(from, ito, new Date(clock.now().getTime() + MINUTE_MS))

/** Makes a credited, a refunded, an unmatched and an overpaid payment, in this order. */
async function payInEveryState() {
  await postSubscription({ hash: (await payLater(1, '10')).transactionHash })
  await payLater(9, '28')
  await runWatcherRound()
  const [unknownPayment] = (await listPage()).items.filter(({ state }) => state === 'unmatched')
  const request = createInput({
    params: { id: unknownPayment?.id },
    body: { action: 'refund_noted', reason: 'Sent back' },
  })
  await ledger.resolveUnmatchedPayment(box.ctx, request as Input<typeof endpoints.resolveUnmatchedPayment>)
  await payLater(9, '3')
  await makeOrder('24h', { by: bert, wallet: 2 })
  await payLater(2, '31')
  await runWatcherRound()
}

test('payments: lists every transfer with its state and account, newest first', async () => {
  await payInEveryState()
  const { items, nextCursor } = await listPage()
  expect(nextCursor).toBeNull()
  expect(getStates(items)).toEqual(['overpaid', 'unmatched', 'refunded', 'credited'])
  expect(items.at(-1)).toMatchObject({
    planType: '6h',
    tokenAmount: '10000000000000000000',
    payer: getWallet(1),
    account: { id: anna, name: 'anna', email: 'anna@example.com' },
  })
  expect(items[0]).toMatchObject({ planType: '24h', account: { id: bert } })
  expect(items[1]).toMatchObject({ planType: null, orderId: null, account: null })
})

test('payments: an unmatched transfer that is credited later is listed once', async () => {
  await payIto(9, '28')
  await runWatcherRound()
  const [{ id } = { id: '' }] = (await listPage()).items
  const body = { action: 'credit', accountId: anna, planId: '6h', reason: 'Paid from an exchange' }
  const request = createInput({ params: { id }, body })
  await ledger.resolveUnmatchedPayment(box.ctx, request as Input<typeof endpoints.resolveUnmatchedPayment>)
  expect((await listPage()).items).toMatchObject([{ state: 'overpaid', account: { id: anna } }])
})

test('payments: a transaction without confirmations is pending, and a reverted payment is not credited', async () => {
  const order = await makeOrder('6h')
  // After a reorganisation, the transaction waits for a block again.
  for (const txState of ['confirming', 'reorganised'] as const) {
    await box.ctx.db.update(orders).set({ txHash: `0x${'ab'.repeat(32)}`, txState })
    expect((await listPage({ search: order.id })).items).toMatchObject([
      { state: 'pending', orderId: order.id, account: { id: anna } },
    ])
  }
  await postSubscription({ hash: (await payIto(1, '10')).transactionHash })
  await box.ctx.db.update(payments).set({ revertedAt: clock.now() })
  expect(getStates((await listPage()).items)).toContain('reverted')
  expect((await listPage({ state: 'credited' })).items).toEqual([])
})

test('payments: filters select by state, plan, chain, hash, address and account', async () => {
  await payInEveryState()
  const { items } = await listPage()
  const hash = items[0]?.transactionHash ?? ''
  const cases: [Query, string[]][] = [
    [{ state: 'refunded' }, ['refunded']],
    [{ state: 'unmatched' }, ['unmatched']],
    [{ plan: '6h' }, ['credited']],
    [{ chainId: box.ctx.config.payment.chainId }, getStates(items)],
    [{ chainId: 1 }, []],
    [{ search: hash.toUpperCase().replace('0X', '0x') }, ['overpaid']],
    [{ search: getWallet(9).toLowerCase() }, ['unmatched', 'refunded']],
    [{ search: 'ANNA@exam' }, ['credited']],
    [{ search: 'bert' }, ['overpaid']],
    [{ search: items[0]?.orderId ?? '' }, ['overpaid']],
    [{ search: anna }, ['credited']],
    [{ search: crypto.randomUUID() }, []],
    [{ search: '%' }, []],
    [{ search: "x' or true --" }, []],
  ]
  for (const [query, expected] of cases)
    expect(getStates((await listPage(query)).items), JSON.stringify(query)).toEqual(expected)
})

test('payments: pages of size one contain every payment once, and an invalid cursor gets the first page', async () => {
  await payInEveryState()
  const allPayments = (await listPage()).items
  const seenPayments: ListedPayment[] = []
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const { items, nextCursor } = await listPage({ limit: 1, cursor })
    seenPayments.push(...items)
    cursor = nextCursor ?? undefined
    isMore = nextCursor !== null
  }
  expect(seenPayments).toEqual(allPayments)
  const id = allPayments[0]?.id
  const times = ['9'.repeat(30), '0000-01-01T00:00:00.000Z', '+275760-09-13T00:00:00.000Z']
  for (const cursor of ['x', '_', '2026-01-01_x', ...times.map((time) => `${time}_${id}`)]) {
    expect((await listPage({ cursor })).items, cursor).toEqual(allPayments)
  }
})

test('payments: the export has one line per payment that matches the filter, and is audited', async () => {
  await payInEveryState()
  const headers = new Map<string, string>()
  const reply = { header: (name: string, value: string) => headers.set(name, value) }
  const request = createInput({ query: { state: 'unmatched' }, reply }) as Input<typeof endpoints.exportPayments>
  const lines = String(await exportPayments(box.ctx, request))
    .trim()
    .split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(',unmatched,')
  expect(headers.get('content-disposition')).toContain('tocsin-payments.csv')
  const [entry] = (await box.ctx.db.select().from(auditEntries)).filter(({ action }) => action === 'payments_exported')
  expect(entry).toMatchObject({ actorId: bert, detail: { state: 'unmatched', rows: 1 } })
})
