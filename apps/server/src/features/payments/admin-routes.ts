import type { endpoints } from '@tocsin/protocol'
import { getAuditActor } from '../../audit-log.ts'
import { listChainContextsSelectedFirst } from '../../chain/payment-chains.ts'
import { formatIto } from '../../chain/transfer.ts'
import { createPage } from '../../http/cursor.ts'
import type { Handler } from '../../http/route.ts'
import { isUuid } from '../../uuid.ts'
import * as ledger from './ledger-store.ts'
import { presentAdminOrder, presentAdminPaymentWithoutOrder } from './order-present.ts'
import * as orders from './order-service.ts'
import * as orderStore from './order-store.ts'
import * as reconciliation from './reconciliation.ts'
import { recordRefund as record } from './record-refund.ts'
import { resolveOrder as resolve } from './resolve-order.ts'
import { toHash } from './transaction.ts'
import { presentUnmatched, resolveUnmatched } from './unmatched.ts'

type Endpoints = typeof endpoints

export const listUnmatchedPayments: Handler<Endpoints['listUnmatchedPayments']> = async (ctx, { query }) => {
  const { state, cursor, limit } = query
  const page = { afterId: cursor && isUuid(cursor) ? cursor : undefined, limit: limit + 1 }
  const [rows, openCount] = await Promise.all([
    ledger.listUnmatchedTransfers(ctx.db, state, page),
    ledger.countOpenTransfers(ctx.db),
  ])
  const { items, nextCursor } = createPage(rows, limit, ({ transfer }) => transfer.id)
  return { items: items.map(presentUnmatched), nextCursor, openCount }
}

const messages = {
  credit: 'The payment is credited.',
  refund_noted: 'The refund is noted: the payment can’t be credited any more.',
  ignore: 'The payment is marked as ignored.',
}

export const resolveUnmatchedPayment: Handler<Endpoints['resolveUnmatchedPayment']> = async (ctx, input) => {
  const { action, accountId, planId, reason } = input.body
  const resolution = { by: getAuditActor(input), id: input.params.id, action, accountId, planId, reason }
  await resolveUnmatched(ctx, resolution)
  return { success: true, message: messages[action] }
}

export const findReconciliation: Handler<Endpoints['findReconciliation']> = async (ctx) => {
  const [selectedContext] = await listChainContextsSelectedFirst(ctx)
  return reconciliation.findReconciliation(selectedContext)
}

/** Starts the check in the background: it can take long, so the response does not wait for it. */
export const startReconciliation: Handler<Endpoints['startReconciliation']> = async (ctx, input) => {
  const [selectedContext] = await listChainContextsSelectedFirst(ctx)
  const check = await reconciliation.startReconciliation(selectedContext, getAuditActor(input))
  if (!check) return { success: true, message: 'A check is already running.' }
  void check()
  return { success: true, message: 'The ledger is being checked against the chain.' }
}

export const listAdminOrders: Handler<Endpoints['listAdminOrders']> = async (ctx, input) => {
  const { flag, state, cursor, limit } = input.query
  const before = orders.parseCursor(cursor)
  const [rows, paymentsWithoutOrder] = await Promise.all([
    orderStore.listAllOrders(ctx.db, { flag, state }, before, limit + 1),
    orderStore.listAllPaymentsWithoutOrder(ctx.db, { flag, state }, before, limit + 1),
  ])
  const subscriptions = await orders.findSubscriptionsOf(
    ctx,
    rows,
    paymentsWithoutOrder.map(({ payment }) => payment),
  )
  const transfers = await orderStore.listTransfersOf(
    ctx.db,
    rows.map(({ order }) => order.id),
  )
  const foundPayments = [
    ...rows.map((row) => {
      const ownTransfers = transfers.filter(({ orderId }) => orderId === row.order.id)
      return presentAdminOrder(ctx, row, subscriptions.get(row.subscriptionPaymentId ?? '') ?? null, ownTransfers)
    }),
    ...paymentsWithoutOrder.map((row) =>
      presentAdminPaymentWithoutOrder(ctx, row, subscriptions.get(row.payment.id) ?? null),
    ),
  ]
  return orders.createPage(foundPayments, limit)
}

const orderMessages = {
  refund_noted: 'The refund is noted with the purchase.',
  ignore: 'The purchase is marked as ignored.',
}

export const resolveOrder: Handler<Endpoints['resolveOrder']> = async (ctx, input) => {
  const { action, reason } = input.body
  await resolve(ctx, { by: getAuditActor(input), id: input.params.id, action, reason })
  return { success: true, message: orderMessages[action] }
}

export const recordRefund: Handler<Endpoints['recordRefund']> = async (ctx, input) => {
  const txHash = toHash(input.body.transactionHash)
  const amountWei = await record(ctx, { by: getAuditActor(input), id: input.params.id, txHash })
  return { success: true, message: `A refund of ${formatIto(amountWei)} is linked with the payment.` }
}
