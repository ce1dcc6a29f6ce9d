import { getChain, getPlan, type Order, type PlanId, realTime, type Subscription } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { getAddress } from 'viem'
import { findContext, listChainContextsSelectedFirst } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { type CouponPrice, findCouponPrice, findFormerPrice, reserveUse } from '../coupons/service.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { findSubscriptions, isSubscribed } from '../subscriptions/service.ts'
import type { ChainReads } from './chain-reads.ts'
import { type Approval, isCollector, readApproval } from './collect.ts'
import { isCollecting, isCollectingFor } from './collection-store.ts'
import { followOrder } from './follow-order.ts'
import { isPendingState } from './order.ts'
import { presentOrder, presentPaymentWithoutOrder } from './order-present.ts'
import * as orderStore from './order-store.ts'
import * as store from './store.ts'
import { withChainDeadline } from './transaction.ts'

interface OrderRequest {
  accountId: string
  sessionId: string
  planId: PlanId
  /** A wallet that was proved in the session. */
  payer: string
  key: string | null
  couponCode: string | undefined
  /** The buyer's network. Wrong coupon codes count towards its limit. */
  network: string
}

/** How long an order is watched after it expires. */
const WATCH_PERIOD_MS = 24 * 60 * MINUTE_MS
/** Maximum number of open orders of an account. */
const MAX_OPEN_ORDERS = 5
/** How much earlier a block’s timestamp may be than the time when its transactions were sent. */
const AMBIGUITY_WINDOW_MS = MINUTE_MS

/**
 * Creates an order with the current terms. Returns the existing order for the same idempotency key,
 * or for an identical open purchase. Closes older orders that wait for an approval, so that an
 * approval pays the latest choice only.
 * @throws Refusal wallet_not_proved, subscription_active, payment_under_way, too_many_orders,
 *   order_ambiguous, coupon_invalid, coupon_pays_all, idempotency_mismatch, unavailable,
 *   too_many_requests
 */
export async function createOrder(ctx: Context, orderFields: OrderRequest): Promise<string> {
  const [selectedContext] = await listChainContextsSelectedFirst(ctx)
  const { couponCode: code, planId } = orderFields
  // Apply the coupon even if it has ended: a repeated request must find the order that it created
  // while the coupon was valid.
  const repeatedOrder = createOrderRow(
    selectedContext,
    orderFields,
    code === undefined ? null : await findFormerPrice(ctx, { code, planId }),
  )
  const { payer, chainId } = repeatedOrder
  if ((await store.listWalletOwners(ctx.db, [payer], chainId)).get(payer) !== orderFields.accountId) {
    throw new Refusal(
      'wallet_not_proved',
      `This contract wallet is verified on another chain. Switch it to ${getChain(chainId).name} and sign in with it there, then try again.`,
    )
  }
  // The first search is made before the lock is taken, so that concurrent repetitions do not queue
  // for the lock.
  const existingOrder = await findExistingOrder(ctx, ctx.db, repeatedOrder, orderFields.key)
  if (existingOrder) return existingOrder.id
  const order = createOrderRow(
    selectedContext,
    orderFields,
    code === undefined ? null : await findCouponPrice(ctx, orderFields, { code, planId }),
  )
  const id = await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, orderFields)
    const concurrentOrder = await findExistingOrder(ctx, tx, order, orderFields.key)
    if (concurrentOrder) return concurrentOrder.id
    const insertedId = await insertOrder(ctx, tx, order)
    if (orderFields.key !== null) await orderStore.saveKey(tx, orderFields.accountId, orderFields.key, insertedId)
    ctx.failpoint('order: before store')
    return insertedId
  })
  ctx.failpoint('order: after commit')
  return id
}

function createOrderRow(
  selectedContext: Context,
  { accountId, planId, payer }: OrderRequest,
  coupon: CouponPrice | null,
): orderStore.NewOrder {
  const { payment, orders } = selectedContext.config
  const createdAt = selectedContext.clock.now()
  const expiresAt = new Date(createdAt.getTime() + orders.ttlMinutes * MINUTE_MS)
  return {
    accountId,
    planId,
    priceWei: coupon ? coupon.priceWei : getPlan(planId).priceWei,
    couponId: coupon?.couponId ?? null,
    listPriceWei: coupon?.listPriceWei ?? null,
    chainId: payment.chainId,
    token: getAddress(payment.token),
    treasury: getAddress(payment.treasury),
    payer: getAddress(payer),
    path: isCollector(selectedContext) ? 'approve' : 'transfer',
    createdAt,
    expiresAt,
    watchedUntil: new Date(expiresAt.getTime() + WATCH_PERIOD_MS),
  }
}

/**
 * Returns the order with the same idempotency key, or an identical open order.
 * @throws Refusal idempotency_mismatch, subscription_active
 */
async function findExistingOrder(
  ctx: Context,
  tx: Queryable,
  order: orderStore.NewOrder,
  key: string | null,
): Promise<orderStore.OrderColumns | null> {
  const { accountId } = order
  const now = ctx.clock.now()
  const orderOfKey = key === null ? null : await orderStore.findByKey(tx, accountId, key)
  if (orderOfKey) {
    const isRepeated =
      orderOfKey.planId === order.planId && orderOfKey.payer === order.payer && orderOfKey.couponId === order.couponId
    if (isRepeated) return orderOfKey
    throw new Refusal('idempotency_mismatch', 'This Idempotency-Key was used for another purchase.')
  }
  if (await isSubscribed(tx, accountId, now)) {
    throw new Refusal('subscription_active', 'You already have an active subscription')
  }
  const identicalOrder = (await orderStore.listOpen(tx, accountId, now)).find((open) => isSameOrder(open, order))
  if (identicalOrder && key !== null) await orderStore.saveKey(tx, accountId, key, identicalOrder.id)
  return identicalOrder ?? null
}

async function insertOrder(ctx: Context, tx: Tx, order: orderStore.NewOrder): Promise<string> {
  if (!findContext(ctx, order.chainId)) {
    throw new Refusal('unavailable', 'Payments can’t be checked on the chosen chain right now. Try again later.')
  }
  const now = ctx.clock.now()
  await orderStore.lockPayer(tx, order)
  if (await isCollecting(tx, order, now)) {
    throw new Refusal(
      'payment_under_way',
      'The payment for your earlier purchase is being collected right now. Wait until it has arrived.',
    )
  }
  await orderStore.closeApprovableOrders(tx, order, now)
  const openOrders = await orderStore.listOpen(tx, order.accountId, now)
  if (openOrders.length >= MAX_OPEN_ORDERS) {
    throw new Refusal('too_many_orders', `You have ${openOrders.length} open purchases. Pay or cancel one first.`)
  }
  if (await orderStore.hasAmbiguousOrder(tx, order, new Date(now.getTime() - AMBIGUITY_WINDOW_MS))) {
    throw new Refusal(
      'order_ambiguous',
      'You have a purchase of another plan at the same price, open or ended less than a minute ago. Pay or cancel it first, and wait a minute, so that your payment can be matched to one purchase.',
    )
  }
  const { couponId, planId, accountId, payer } = order
  if (couponId !== null) await reserveUse(ctx, tx, { couponId, planId, accountId, payer })
  return orderStore.insertOrder(tx, order)
}

function isSameOrder(openOrder: orderStore.OrderColumns, order: orderStore.NewOrder): boolean {
  return (
    openOrder.planId === order.planId &&
    openOrder.payer === order.payer &&
    openOrder.chainId === order.chainId &&
    openOrder.token === order.token &&
    openOrder.treasury === order.treasury &&
    openOrder.path === order.path &&
    openOrder.priceWei === order.priceWei &&
    openOrder.couponId === order.couponId
  )
}

/**
 * Cancels a purchase. The order is still watched, and a payment that lands anyway is credited. An
 * order cannot be cancelled while the server is collecting for it.
 * @throws Refusal not_found, order_paid
 */
export async function cancelOrder(
  ctx: Context,
  actor: Pick<Actor, 'accountId' | 'sessionId'>,
  id: string,
): Promise<void> {
  await getOwnOrder(ctx, actor.accountId, id)
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    const order = await orderStore.lockOrder(tx, id)
    if (!order || order.cancelledAt !== null) return
    if (order.paidAt === null && (await isCollectingFor(tx, id))) {
      throw new Refusal(
        'order_paid',
        'The payment for this purchase is being collected: it can’t be cancelled any more.',
      )
    }
    const isCancelled = await orderStore.markCancelled(tx, id, ctx.clock.now())
    if (!isCancelled) throw new Refusal('order_paid', 'This purchase is paid: it can’t be cancelled any more.')
  })
}

/**
 * Returns an order of the account.
 * @throws Refusal not_found, including for orders of other accounts
 */
export async function getOwnOrder(ctx: Context, accountId: string, id: string): Promise<orderStore.OrderRow> {
  const row = isUuid(id) ? await orderStore.findOrder(ctx.db, id) : null
  if (row?.order.accountId !== accountId || !row) throw createNotFoundRefusal()
  return row
}

function createNotFoundRefusal(): Refusal {
  return new Refusal('not_found', 'Purchase not found.')
}

/** How long a read waits for the chain before it returns the stored state. */
const READ_TIMEOUT_MS = 1_500

/** Number of calls to nodes that a chain read for one order causes. */
const CALLS_PER_ORDER = 4

/**
 * Loads an order, or a payment without an order. Reads the chain first if a transaction is pending
 * or an approval is awaited.
 * @throws Refusal not_found, too_many_requests
 */
export async function loadOrder(
  ctx: Context,
  reader: Pick<Actor, 'accountId' | 'permissions'>,
  id: string,
  reads: ChainReads,
): Promise<Order> {
  const row = isUuid(id) ? await orderStore.findOrder(ctx.db, id) : null
  const canRead = (ownerId: string | null) =>
    reader.permissions.includes('payments.read') || ownerId === reader.accountId
  if (row) {
    if (!canRead(row.order.accountId)) throw createNotFoundRefusal()
    const { order } = row
    if (!isUnderWay(order) && !isAwaitingApproval(ctx, order)) return loadPresentedOrder(ctx, id)
    const { isChainUnavailable, approval } = await reads.read(
      reader.accountId,
      `order ${id}`,
      CALLS_PER_ORDER,
      async () => ({
        isChainUnavailable: await refresh(ctx, order),
        approval: await findApproval(ctx, order),
      }),
    )
    return loadPresentedOrder(ctx, id, isChainUnavailable, approval)
  }
  const payment = isUuid(id) ? await orderStore.findPaymentWithoutOrder(ctx.db, id) : null
  if (!payment || !canRead(payment.accountId)) throw createNotFoundRefusal()
  const subscriptions = await findSubscriptions(ctx, [id])
  return presentPaymentWithoutOrder(ctx, payment, subscriptions.get(id) ?? null)
}

/**
 * Loads the order from the database and presents it.
 * @param isChainUnavailable true if the chain could not be read
 * @param approval the wallet's allowance and balance, if they were read
 */
export async function loadPresentedOrder(
  ctx: Context,
  id: string,
  isChainUnavailable = false,
  approval: Approval | null = null,
): Promise<Order> {
  const row = await orderStore.findOrder(ctx.db, id)
  if (!row) throw createNotFoundRefusal()
  const subscriptions = await findSubscriptionsOf(ctx, [row], [])
  return presentOrder(ctx, row, subscriptions.get(row.subscriptionPaymentId ?? '') ?? null, {
    isChainUnavailable,
    approval,
  })
}

/** True if an open order waits for the approval of its wallet. */
function isAwaitingApproval(
  ctx: Context,
  { path, txState, paidAt, cancelledAt, expiresAt }: orderStore.OrderColumns,
): boolean {
  return (
    path === 'approve' && txState === null && paidAt === null && cancelledAt === null && expiresAt > ctx.clock.now()
  )
}

/** True if the order has a transaction that is not confirmed. */
export function isUnderWay({ paidAt, txState }: orderStore.OrderColumns): boolean {
  return paidAt === null && isPendingState(txState)
}

/** Returns null if the order does not wait for an approval, or the chain cannot be read. */
async function findApproval(ctx: Context, order: orderStore.OrderColumns): Promise<Approval | null> {
  const chainContext = findContext(ctx, order.chainId)
  if (!isAwaitingApproval(ctx, order) || !chainContext) return null
  return withChainDeadline(readApproval(chainContext, order), READ_TIMEOUT_MS)
}

/** Updates the order from the chain. @returns true if the chain could not be read in time */
async function refresh(ctx: Context, order: orderStore.OrderColumns): Promise<boolean> {
  if (!isUnderWay(order)) return false
  const chainContext = findContext(ctx, order.chainId)
  if (!chainContext) return true
  return (await withChainDeadline(followOrder(chainContext, order.id), READ_TIMEOUT_MS)) === null
}

/** Returns the subscriptions of these orders and payments without an order, by payment id. */
export function findSubscriptionsOf(
  ctx: Context,
  orders: readonly { subscriptionPaymentId: string | null }[],
  paymentsWithoutOrder: readonly { id: string }[],
): Promise<Map<string, Subscription>> {
  const orderPaymentIds = orders.flatMap(({ subscriptionPaymentId }) => subscriptionPaymentId ?? [])
  return findSubscriptions(ctx, [...orderPaymentIds, ...paymentsWithoutOrder.map(({ id }) => id)])
}

/** Returns a page of the account's purchases and payments without an order, newest first. */
export async function listOrders(
  ctx: Context,
  accountId: string,
  page: { cursor: string | undefined; limit: number },
): Promise<{ items: Order[]; next: string | null }> {
  const before = parseCursor(page.cursor)
  const [rows, paymentsWithoutOrder] = await Promise.all([
    orderStore.listOrdersOf(ctx.db, accountId, before, page.limit + 1),
    orderStore.listPaymentsWithoutOrder(ctx.db, accountId, before, page.limit + 1),
  ])
  const subscriptions = await findSubscriptionsOf(ctx, rows, paymentsWithoutOrder)
  const foundOrders = [
    ...rows.map((row) => presentOrder(ctx, row, subscriptions.get(row.subscriptionPaymentId ?? '') ?? null)),
    ...paymentsWithoutOrder.map((payment) =>
      presentPaymentWithoutOrder(ctx, payment, subscriptions.get(payment.id) ?? null),
    ),
  ]
  return createPage(foundOrders, page.limit)
}

/** Returns the newest items up to the limit, and a cursor if more items were found. */
export function createPage<T extends Pick<Order, 'createdAt' | 'id'>>(foundItems: readonly T[], limit: number) {
  const items = [...foundItems].sort((a, b) => (formatCursor(a) < formatCursor(b) ? 1 : -1)).slice(0, limit)
  const last = foundItems.length > limit ? items.at(-1) : undefined
  return { items, next: last ? formatCursor(last) : null }
}

/** Returns a cursor. As text, cursors sort by time, then by id. */
export function formatCursor({ createdAt, id }: { createdAt: string; id: string }): string {
  return `${createdAt}_${id}`
}

/** Parses a client's cursor; an invalid one means the first page. */
export function parseCursor(cursor: string | undefined): orderStore.PageCursor | undefined {
  const [at = '', id = ''] = cursor?.split('_') ?? []
  return isUuid(id) && realTime.safeParse(at).success ? { at: new Date(at), id } : undefined
}
