import { readdir, readFile } from 'node:fs/promises'
import type { endpoints, PlanId } from '@tocsin/protocol'
import { eq, sql } from 'drizzle-orm'
import { RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { operator } from '../src/audit-log.ts'
import { accounts } from '../src/db/schema/accounts.ts'
import { auditEntries } from '../src/db/schema/audit.ts'
import { payments, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { businessTreasury } from '../src/features/business/routes.ts'
import * as ledger from '../src/features/payments/admin-routes.ts'
import { listPayments } from '../src/features/payments/payment-list.ts'
import { saveCursor, saveWatchedFrom } from '../src/features/payments/store.ts'
import { checkPayments } from '../src/features/payments/watcher.ts'
import { findEntitlement } from '../src/features/subscriptions/service.ts'
import type { Input } from '../src/http/route.ts'
import { makeOrder, readOrder, withTerms } from './order-fixture.ts'
import {
  anna,
  bert,
  box,
  chain,
  clock,
  createAccount,
  getWallet,
  payIto,
  postSubscription,
  readRefusal,
  setPaymentFixture,
} from './payment-fixture.ts'

/**
 * Tests payments that match no plan, until an admin resolves them, and the comparison of the ledger
 * with the chain.
 */

setPaymentFixture()

const createInput = (more: object) =>
  ({ params: {}, query: {}, actor: { accountId: bert }, request: { id: 'request-1' }, ...more }) as unknown

async function listUnmatched(state: 'open' | 'resolved' = 'open', page: { limit?: number; cursor?: string } = {}) {
  const query = { state, limit: 50, ...page }
  const request = createInput({ query }) as Input<typeof endpoints.listUnmatchedPayments>
  return ledger.listUnmatchedPayments(box.ctx, request)
}

interface Resolution {
  action: 'credit' | 'refund_noted' | 'ignore'
  accountId?: string
  planId?: PlanId
}

function resolvePayment(id: string, body: Resolution, ctx = box.ctx) {
  const request = createInput({ params: { id }, body: { reason: 'By hand', ...body } })
  return ledger.resolveUnmatchedPayment(ctx, request as Input<typeof endpoints.resolveUnmatchedPayment>)
}

/** Pays from a wallet without an account, and returns the unmatched payment. */
async function addUnmatchedPayment(from = 9, ito = '28') {
  const { transactionHash } = await payIto(from, ito)
  await checkPayments(box.ctx)
  const { items } = await listUnmatched()
  const item = items.find((one) => one.transactionHash === transactionHash)
  if (!item) throw new Error('The payment was not put on record')
  return item
}

const listActions = async () => (await box.ctx.db.select().from(auditEntries)).map(({ action }) => action)
const findPlan = (accountId: string) => findEntitlement(box.ctx, accountId, clock.now())

test('unmatched payment: is listed with the most expensive plan it covers and the owner of the wallet', async () => {
  const unknownPayment = await addUnmatchedPayment()
  expect(unknownPayment).toMatchObject({ reason: 'other_amount', suggestedPlan: '6h', owner: null, resolution: null })
  const knownPayment = await addUnmatchedPayment(1, '80')
  expect(knownPayment).toMatchObject({ suggestedPlan: '3d', owner: { id: anna, name: 'anna' } })
  expect(await addUnmatchedPayment(9, '9')).toMatchObject({ suggestedPlan: null })
  expect((await listUnmatched()).openCount).toBe(3)
})

test('unmatched payments: are listed in pages, and a full last page has no cursor', async () => {
  for (const ito of ['28', '29', '31']) await addUnmatchedPayment(9, ito)
  const first = await listUnmatched('open', { limit: 2 })
  const last = await listUnmatched('open', { limit: 1, cursor: first.nextCursor ?? '' })
  expect([...first.items, ...last.items]).toEqual((await listUnmatched()).items)
  expect([first.items.length, last.nextCursor]).toEqual([2, null])
})

test.each([
  ['00000000-0000-4000-8000-000000000000', {}, 'not_found'],
  ['x', {}, 'not_found'],
  [null, { accountId: '00000000-0000-4000-8000-000000000000' }, 'not_found'],
  [null, { accountId: 'x' }, 'not_found'],
])(
  'unmatched payment: a credit with the payment id %s (null: an existing payment) and the fields %j is rejected',
  async (id, change, code) => {
    const item = await addUnmatchedPayment()
    const creditBody = { action: 'credit', accountId: anna, planId: '6h', ...change } as const
    expect((await readRefusal(resolvePayment(id ?? item.id, creditBody))).code).toBe(code)
    expect([await listActions(), (await listUnmatched()).openCount, await box.ctx.db.$count(payments)]).toEqual([
      [],
      1,
      0,
    ])
  },
)

test('unmatched payment: is not credited after a reorganisation removed it', async () => {
  const snapshotBefore = await chain.snapshot()
  const item = await addUnmatchedPayment()
  await chain.revert(snapshotBefore)
  expect((await readRefusal(resolvePayment(item.id, { action: 'credit', accountId: anna, planId: '6h' }))).code).toBe(
    'payment_unknown',
  )
  expect(await findPlan(anna)).toBeNull()
})

test('unmatched payment: is credited after a change of the treasury, even if the treasury paid was not recorded', async () => {
  const changedCtx = withTerms({ payment: { treasury: getWallet(8) } })
  const item = await addUnmatchedPayment()
  await resolvePayment(item.id, { action: 'credit', accountId: anna, planId: '6h' }, changedCtx)
  expect(await findPlan(anna)).toMatchObject({ planId: '6h' })
  expect(await box.ctx.db.select().from(payments)).toMatchObject([{ treasury: chain.treasury }])
  // Transfers that an earlier version recorded have no treasury. The server then uses the treasury
  // of the order that the transfer partly pays.
  await makeOrder('24h', { by: bert, wallet: 2 })
  const part = await addUnmatchedPayment(2, '20')
  await box.ctx.db.update(unmatchedTransfers).set({ treasury: null })
  await resolvePayment(part.id, { action: 'credit', accountId: bert, planId: '6h' }, changedCtx)
  expect(await findPlan(bert)).toMatchObject({ planId: '6h' })
})

test('unmatched payment: gets one credit and one audit entry when several admins credit it concurrently', async () => {
  const item = await addUnmatchedPayment()
  const creditBody = { action: 'credit', accountId: anna, planId: '24h' } as const
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => resolvePayment(item.id, creditBody)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await findPlan(anna)).toMatchObject({ planId: '24h' })
  expect(await listActions()).toEqual(['payment_credited'])
  const [resolvedPayment] = (await listUnmatched('resolved')).items
  expect(resolvedPayment).toMatchObject({
    resolution: 'credit',
    resolvedAt: clock.now().toISOString(),
    resolvedBy: { id: bert, name: 'bert' },
    resolutionReason: 'By hand',
    // The wallet of the payer has no account, and the payment is less than the price of the plan.
    owner: null,
    credit: { account: { id: anna, name: 'anna' }, planType: '24h', excessWei: '0', excessResolution: null },
  })
  expect((await readRefusal(resolvePayment(item.id, creditBody))).code).toBe('already_resolved')
})

test('unmatched payment: can be ignored while the chain is read for its credit, which is then rejected', async () => {
  const item = await addUnmatchedPayment()
  const { paymentChain } = box.ctx
  let respond = () => {}
  const responseDue = new Promise<void>((resolve) => {
    respond = resolve
  })
  let isReading = false
  const getTransactionReceipt: typeof paymentChain.getTransactionReceipt = async (request) => {
    isReading = true
    await responseDue
    return paymentChain.getTransactionReceipt(request)
  }
  const slowCtx = { ...box.ctx, paymentChain: { ...paymentChain, getTransactionReceipt } }
  const crediting = resolvePayment(item.id, { action: 'credit', accountId: anna, planId: '6h' }, slowCtx)
  await expect.poll(() => isReading).toBe(true)
  try {
    await resolvePayment(item.id, { action: 'ignore' })
  } finally {
    respond()
  }
  expect((await readRefusal(crediting)).code).toBe('already_resolved')
  expect([await findPlan(anna), await listActions()]).toEqual([null, ['payment_ignored']])
})

test('unmatched payment: still shows the admin’s id and the plan of a credit after the accounts are deleted', async () => {
  const item = await addUnmatchedPayment()
  await resolvePayment(item.id, { action: 'credit', accountId: anna, planId: '6h' })
  await box.ctx.db.delete(accounts)
  const [resolvedPayment] = (await listUnmatched('resolved')).items
  expect(resolvedPayment).toMatchObject({
    resolvedBy: { id: bert, name: null },
    credit: { account: null, planType: '6h' },
  })
})

test('unmatched payment: is listed as matched, without a resolving admin, when its owner has claimed it', async () => {
  const item = await addUnmatchedPayment(1, '80')
  await postSubscription({ hash: item.transactionHash, plan: '3d' })
  expect((await listUnmatched('resolved')).items).toMatchObject([
    {
      resolution: 'matched',
      resolvedBy: null,
      credit: { account: { id: anna }, planType: '3d', excessWei: `5${'0'.repeat(18)}`, excessResolution: null },
    },
  ])
})

test('unmatched payment: can’t be claimed by its owner or credited by the watcher after a refund was noted', async () => {
  const item = await addUnmatchedPayment(1, '80')
  await resolvePayment(item.id, { action: 'refund_noted' })
  expect((await readRefusal(postSubscription({ hash: item.transactionHash, plan: '3d' }))).code).toBe('payment_used')
  await checkPayments(box.ctx)
  expect([await findPlan(anna), await box.ctx.db.$count(payments), await listActions()]).toEqual([
    null,
    0,
    ['payment_refund_noted'],
  ])
})

test('unmatched payment: only one of a concurrent claim and refund succeeds', async () => {
  const item = await addUnmatchedPayment(1, '80')
  const outcomes = await Promise.allSettled([
    postSubscription({ hash: item.transactionHash, plan: '3d' }),
    resolvePayment(item.id, { action: 'refund_noted' }),
  ])
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await box.ctx.db.$count(payments)) + (await listActions()).length).toBe(1)
})

test('unmatched payment: pays no order when its refund is noted while it is being credited', async () => {
  const item = await addUnmatchedPayment(8, '10')
  const carl = await createAccount('carl', 8)
  const order = await makeOrder('6h', { by: carl, wallet: 8 })
  const { db } = box.ctx
  let crediting: Promise<void> | undefined
  await db.transaction(async (tx) => {
    const change = { resolution: 'refund_noted' as const, resolvedAt: clock.now() }
    await tx.update(unmatchedTransfers).set(change).where(eq(unmatchedTransfers.id, item.id))
    crediting = checkPayments(box.ctx)
    const lockWaitersSql = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await db.execute(lockWaitersSql)).rowCount).toBe(1)
  })
  await crediting
  expect(await readOrder(order.id, { by: carl })).toMatchObject({ status: 'open', paidWei: '0' })
  expect([await findPlan(carl), await db.$count(payments)]).toEqual([null, 0])
})

test('unmatched payment: disappears from the list when it is ignored, and its owner can still claim it', async () => {
  const item = await addUnmatchedPayment(1, '80')
  await resolvePayment(item.id, { action: 'ignore' })
  expect((await listUnmatched()).openCount).toBe(0)
  await postSubscription({ hash: item.transactionHash, plan: '3d' })
  expect(await findPlan(anna)).toMatchObject({ planId: '3d' })
})

test('unmatched payment: an ignored partial payment counts once when a later transfer completes the order', async () => {
  const order = await makeOrder('3d')
  const part = await addUnmatchedPayment(1, '30')
  await resolvePayment(part.id, { action: 'ignore' })
  await payIto(1, '45')
  await checkPayments(box.ctx)
  const paidWei = `75${'0'.repeat(18)}`
  expect(await readOrder(order.id)).toMatchObject({
    status: 'paid',
    flags: ['multiple', 'under'],
    paidWei,
    excessWei: '0',
  })
  expect((await listUnmatched('resolved')).items).toMatchObject([
    { id: part.id, resolution: 'matched', resolvedBy: null, resolutionReason: null, credit: { excessWei: '0' } },
  ])
})

test.each([
  ['claimed for another plan', null],
  ['claimed for another plan, but is still stored as ignored', 'ignore' as const],
])('unmatched payment: is not counted for its order when it was ignored and then %s', async (_when, resolution) => {
  const order = await makeOrder('3d')
  const part = await addUnmatchedPayment(1, '30')
  await resolvePayment(part.id, { action: 'ignore' })
  await postSubscription({ hash: part.transactionHash, plan: '24h' })
  if (resolution) await box.ctx.db.update(unmatchedTransfers).set({ resolution })
  await payIto(1, '45')
  await checkPayments(box.ctx)
  expect(await readOrder(order.id)).toMatchObject({ status: 'underpaid', paidWei: `45${'0'.repeat(18)}` })
  expect(await findPlan(anna)).toMatchObject({ planId: '24h' })
  expect(await box.ctx.db.$count(payments)).toBe(1)
})

test('migration: the decision “ignore” is removed from a transfer that was credited, and kept for other transfers', async () => {
  for (const from of [9, 1]) await resolvePayment((await addUnmatchedPayment(from)).id, { action: 'ignore' })
  const claimedPayment = (await listUnmatched('resolved')).items.find(({ owner }) => owner?.id === anna)
  await postSubscription({ hash: claimedPayment?.transactionHash ?? '' })
  const decision = { resolution: 'ignore', resolutionReason: 'By hand', resolvedBy: bert } as const
  await box.ctx.db.update(unmatchedTransfers).set(decision)
  const folder = new URL('../drizzle/', import.meta.url)
  const fileName = (await readdir(folder)).find((file) => file.endsWith('_transfer_treasury.sql')) ?? ''
  const statements = (await readFile(new URL(fileName, folder), 'utf8')).split('--> statement-breakpoint')
  for (const statement of statements.filter((part) => part.includes('UPDATE "'))) await box.ctx.db.execute(statement)
  const rows = await box.ctx.db.select().from(unmatchedTransfers).orderBy(unmatchedTransfers.blockNumber)
  const unresolved = { resolution: null, resolutionReason: null, resolvedBy: null }
  expect(rows).toMatchObject([decision, { ...unresolved, resolvedAt: clock.now() }])
})

const findReconciliation = () =>
  ledger.findReconciliation(box.ctx, createInput({}) as Input<typeof endpoints.findReconciliation>)

async function reconcile(ctx = box.ctx) {
  const request = createInput({}) as Input<typeof endpoints.startReconciliation>
  await ledger.startReconciliation(ctx, request)
  await expect.poll(async () => (await findReconciliation()).state).not.toBe('running')
  return findReconciliation()
}

test('reconciliation: reports no difference when every transfer is in the ledger', async () => {
  await payIto(1, '10')
  await addUnmatchedPayment()
  await addUnmatchedPayment(1, '80')
  expect(await reconcile()).toMatchObject({
    state: 'done',
    ledger: { count: 3, sumWei: `118${'0'.repeat(18)}` },
    chain: { count: 3, sumWei: `118${'0'.repeat(18)}` },
    differenceCount: 0,
  })
  expect(await listActions()).toEqual(['reconciliation_started'])
})

test('reconciliation: omits transfers to a former treasury, and includes those without a recorded treasury', async () => {
  await payIto(1, '10')
  await addUnmatchedPayment()
  const changed = withTerms({ payment: { treasury: `0x${'5'.repeat(40)}` } })
  expect(await reconcile(changed)).toMatchObject({ state: 'done', ledger: { count: 0 }, differenceCount: 0 })
  await box.ctx.db.update(payments).set({ treasury: null })
  await box.ctx.db.update(unmatchedTransfers).set({ treasury: null })
  expect(await reconcile()).toMatchObject({ state: 'done', ledger: { count: 2 }, differenceCount: 0 })
})

test('reconciliation: splits block ranges that the node refuses', async () => {
  for (const wallet of [1, 9]) await addUnmatchedPayment(wallet, '80')
  const { paymentChain } = box.ctx
  const refused = { body: {}, url: 'http://node', error: { code: -32005, message: 'block range too large' } }
  const getContractEvents: typeof paymentChain.getContractEvents = (request) => {
    if (Number(request.toBlock) > Number(request.fromBlock)) throw new RpcRequestError(refused)
    return paymentChain.getContractEvents(request)
  }
  const narrowRangeCtx = { ...box.ctx, paymentChain: { ...paymentChain, getContractEvents } }
  expect(await reconcile(narrowRangeCtx)).toMatchObject({ state: 'done', chain: { count: 2 }, differenceCount: 0 })
})

test('reconciliation: reports the share of the blocks that it has compared', async () => {
  const { db, config, paymentChain } = box.ctx
  await saveWatchedFrom(db, config.payment, 0, clock.now())
  await saveCursor(db, config.payment, 1_999, clock.now())
  const shownProgress: number[] = []
  const getContractEvents: typeof paymentChain.getContractEvents = async () => {
    shownProgress.push((await findReconciliation()).progress)
    return []
  }
  await reconcile({ ...box.ctx, paymentChain: { ...paymentChain, getContractEvents } })
  expect(shownProgress).toEqual([0, 0.5])
})

test('reconciliation: names transfers that are missing in the ledger and payments that are not on the chain', async () => {
  const lostPayment = await addUnmatchedPayment()
  const { transactionHash } = await payIto(1, '10')
  await checkPayments(box.ctx)
  await box.ctx.db.delete(unmatchedTransfers)
  const [row] = await box.ctx.db.select().from(payments)
  if (!row) throw new Error('The payment was not credited')
  const { id: _, ...copy } = row
  await box.ctx.db.insert(payments).values({ ...copy, txHash: `0x${'ee'.repeat(32)}` })
  const { differences } = await reconcile()
  expect(differences.map((one) => [one.kind, one.transactionHash])).toEqual([
    ['not_on_chain', `0x${'ee'.repeat(32)}`],
    ['not_in_ledger', lostPayment.transactionHash],
  ])
  expect(transactionHash).toBe(row.txHash)
})

test('reconciliation: runs one check when several admins start it concurrently', async () => {
  await addUnmatchedPayment()
  const { paymentChain } = box.ctx
  let respond = () => {}
  const responseDue = new Promise<void>((resolve) => {
    respond = resolve
  })
  const getContractEvents = (async (request: Parameters<typeof paymentChain.getContractEvents>[0]) => {
    await responseDue
    return paymentChain.getContractEvents(request)
  }) as typeof paymentChain.getContractEvents
  const slowCtx = { ...box.ctx, paymentChain: { ...paymentChain, getContractEvents } }
  const request = createInput({}) as Input<typeof endpoints.startReconciliation>
  const answers = await Promise.all(Array.from({ length: 5 }, () => ledger.startReconciliation(slowCtx, request)))
  expect(answers.filter(({ message }) => message === 'A check is already running.')).toHaveLength(4)
  expect(await listActions()).toEqual(['reconciliation_started'])
  respond()
  await expect.poll(async () => (await findReconciliation()).state).toBe('done')
})

test('reconciliation: does not show a running check when the session of the admin has ended', async () => {
  const actor = { accountId: bert, sessionId: '00000000-0000-4000-8000-000000000000' }
  const request = createInput({ actor }) as Input<typeof endpoints.startReconciliation>
  expect((await readRefusal(ledger.startReconciliation(box.ctx, request))).code).toBe('not_signed_in')
  expect([(await findReconciliation()).state, await listActions()]).toEqual(['never', []])
})

test('reconciliation: an interrupted check changes from "running" to "failed" after a minute', async () => {
  const { startReconciliation } = await import('../src/features/payments/reconciliation.ts')
  await startReconciliation(box.ctx, operator)
  expect((await findReconciliation()).state).toBe('running')
  clock.advance(61_000)
  expect((await findReconciliation()).state).toBe('failed')
  expect(await box.ctx.db.$count(accounts)).toBe(2)
})

/**
 * Wallet 8 is the treasury, because the tests have its key. The ITO with which it was funded also
 * count as received by the treasury.
 */
const createTreasuryCtx = () => withTerms({ payment: { treasury: getWallet(8) } })

function recordRefund(ctx: typeof box.ctx, id: string, transactionHash: string) {
  const request = createInput({ params: { id }, body: { transactionHash } })
  return ledger.recordRefund(ctx, request as Input<typeof endpoints.recordRefund>)
}

/** Pays the treasury of the context and returns the unmatched payment. */
async function addPaymentTo(ctx: typeof box.ctx, ito: string) {
  const { transactionHash } = await payIto(1, ito, { to: ctx.config.payment.treasury })
  await checkPayments(ctx)
  const item = (await listUnmatched()).items.find((one) => one.transactionHash === transactionHash)
  if (!item) throw new Error('The payment was not put on record')
  return item
}

/** Sends the amount from the treasury to the payer. */
async function sendBack(ito: string) {
  const { transactionHash } = await payIto(8, ito, { to: getWallet(1) })
  await chain.mine(3)
  return transactionHash
}

test('refund: an ignored partial payment no longer counts toward its order after it was refunded', async () => {
  const ctx = createTreasuryCtx()
  const order = await makeOrder('3d', { ctx })
  const part = await addPaymentTo(ctx, '45')
  await resolvePayment(part.id, { action: 'ignore' })
  await recordRefund(ctx, part.id, await sendBack('45'))
  expect((await listUnmatched('resolved')).items).toMatchObject([{ id: part.id, resolution: 'refund_noted' }])
  await addPaymentTo(ctx, '30')
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'underpaid', paidWei: `30${'0'.repeat(18)}` })
  expect([await findPlan(anna), await box.ctx.db.$count(payments)]).toEqual([null, 0])
})

test('refund: an ignored payment can’t be claimed by its owner after it was refunded', async () => {
  const ctx = createTreasuryCtx()
  const item = await addPaymentTo(ctx, '80')
  await resolvePayment(item.id, { action: 'ignore' })
  await recordRefund(ctx, item.id, await sendBack('80'))
  expect((await readRefusal(postSubscription({ hash: item.transactionHash, plan: '3d', ctx }))).code).toBe(
    'payment_used',
  )
})

test('refund: the reason of a noted refund is kept when the refund transaction is recorded later', async () => {
  const ctx = createTreasuryCtx()
  const item = await addPaymentTo(ctx, '80')
  await resolvePayment(item.id, { action: 'refund_noted' })
  await recordRefund(ctx, item.id, await sendBack('80'))
  expect((await listUnmatched('resolved')).items).toMatchObject([
    { resolution: 'refund_noted', resolutionReason: 'By hand' },
  ])
})

test('refund: is recorded under the payment id and refused under the transfer id after the transfer was matched', async () => {
  const ctx = createTreasuryCtx()
  const item = await addPaymentTo(ctx, '80')
  await postSubscription({ hash: item.transactionHash, plan: '3d', ctx })
  const refundHash = await sendBack('5')
  expect((await readRefusal(recordRefund(ctx, item.id, refundHash))).code).toBe('not_found')
  const [payment] = await box.ctx.db.select().from(payments)
  await recordRefund(ctx, payment?.id ?? '', refundHash)
  const query = { search: item.transactionHash, limit: 10 }
  const request = createInput({ query }) as Input<typeof endpoints.listPayments>
  expect((await listPayments(ctx, request)).items).toMatchObject([
    { id: payment?.id, state: 'refunded', refunds: [{ transactionHash: refundHash }] },
  ])
})

test('refund: a transfer from the former treasury is recorded after the treasury was changed', async () => {
  const item = await addPaymentTo(createTreasuryCtx(), '28')
  const refundReceipt = await payIto(8, '28', { to: getWallet(1) })
  await chain.mine(3)
  await recordRefund(box.ctx, item.id, refundReceipt.transactionHash)
  expect((await listUnmatched('resolved')).items.find(({ id }) => id === item.id)).toMatchObject({
    resolution: 'refund_noted',
  })
})

test('refund: a transfer from the former treasury is recorded when only the order of the payment names that treasury', async () => {
  const ctx = createTreasuryCtx()
  await makeOrder('3d', { ctx })
  const part = await addPaymentTo(ctx, '45')
  // Earlier versions did not record the treasury with the transfer.
  await box.ctx.db.update(unmatchedTransfers).set({ treasury: null })
  await recordRefund(box.ctx, part.id, await sendBack('45'))
  expect((await listUnmatched('resolved')).items).toMatchObject([{ id: part.id, resolution: 'refund_noted' }])
})

test('refund: an outgoing transaction is recorded only once, resolves the payment and counts as refunded for the treasury', async () => {
  const treasury = chain.wallet(8).account.address
  const { config } = box.ctx
  const ctx = { ...box.ctx, config: { ...config, payment: { ...config.payment, treasury } } }
  const { transactionHash } = await payIto(9, '28', { to: treasury })
  await checkPayments(ctx)
  const isOurs = (one: { transactionHash: string }) => one.transactionHash === transactionHash
  const item = (await listUnmatched()).items.find(isOurs)
  const recordTestRefund = (hash: string, id = item?.id ?? '') => {
    const request = createInput({ params: { id }, body: { transactionHash: hash } })
    return ledger.recordRefund(ctx, request as Input<typeof endpoints.recordRefund>)
  }
  expect((await readRefusal(recordTestRefund(transactionHash))).code).toBe('payment_wrong_sender')
  expect((await readRefusal(recordTestRefund(`0x${'7'.repeat(64)}`))).code).toBe('payment_unknown')
  expect((await readRefusal(recordTestRefund(transactionHash, 'no id'))).code).toBe('not_found')
  const refundReceipt = await payIto(8, '28', { to: chain.wallet(9).account.address })
  await chain.mine(3)
  const results = await Promise.allSettled([
    recordTestRefund(refundReceipt.transactionHash),
    recordTestRefund(refundReceipt.transactionHash),
  ])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await readRefusal(recordTestRefund(refundReceipt.transactionHash))).code).toBe('payment_used')
  expect((await listUnmatched()).items.find(isOurs)).toBeUndefined()
  const request = createInput({ query: { limit: 10 } }) as Input<typeof endpoints.listPayments>
  const listed = (await listPayments(ctx, request)).items.find(isOurs)
  expect(listed).toMatchObject({
    state: 'refunded',
    refunds: [{ transactionHash: refundReceipt.transactionHash, amountWei: (28n * 10n ** 18n).toString() }],
  })
  const [ownTreasury] = await businessTreasury(ctx, createInput({}) as Input<typeof endpoints.businessTreasury>)
  expect(ownTreasury).toMatchObject({
    resolved: { count: 1 },
    refunded: { count: 1, sumWei: (28n * 10n ** 18n).toString() },
  })
  expect(await listActions()).toEqual(['refund_recorded'])
})
