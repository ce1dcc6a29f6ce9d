import { type endpoints, idempotencyKey } from '@tocsin/protocol'
import { getAddress } from 'viem'
import { auditorOf } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { networkOf } from '../../http/network.ts'
import { type Actor, type Handler, type Input, signedIn } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { presentAdminOrder, presentAdminOrderless } from './order-present.ts'
import * as orders from './order-service.ts'
import * as orderStore from './order-store.ts'
import { reportTransaction } from './report-transaction.ts'
import { resolveOrder as resolve } from './resolve-order.ts'

type Endpoints = typeof endpoints
type Parts = orders.OrderParts
type Answer<N extends keyof Endpoints> = ReturnType<Handler<Endpoints[N]>>

/**
 * The wallets proved by a session. Contract wallets are checked again, because their answer may
 * have changed.
 */
export type ConfirmWallets = (ctx: Context, actor: Actor) => Promise<string[]>

export async function createOrder(
  ctx: Context,
  input: Input<Endpoints['createOrder']>,
  parts: Parts & { confirmWallets: ConfirmWallets },
): Answer<'createOrder'> {
  const actor = signedIn(input)
  const payer = getAddress(input.body.walletAddress)
  if (!(await parts.confirmWallets(ctx, actor)).includes(payer)) {
    throw new Refusal('wallet_not_proved', 'Sign in with the wallet that will pay, then try again.')
  }
  const { accountId } = actor
  const key = readKey(input.request.headers['idempotency-key'])
  const id = await orders.createOrder(ctx, parts, { accountId, planId: input.body.planType, payer, key })
  return orders.presentFresh(ctx, parts, id)
}

function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const key = idempotencyKey.safeParse(header)
  if (!key.success) throw new Refusal('malformed', 'Idempotency-Key takes up to 200 printable characters.')
  return key.data
}

export async function listOrders(
  ctx: Context,
  input: Input<Endpoints['listOrders']>,
  parts: Parts,
): Answer<'listOrders'> {
  const { cursor, limit } = input.query
  return orders.listOrders(ctx, parts, signedIn(input).accountId, { cursor, limit })
}

export async function findOrder(ctx: Context, input: Input<Endpoints['findOrder']>, parts: Parts): Answer<'findOrder'> {
  return orders.loadOrder(ctx, parts, signedIn(input), input.params.id)
}

export async function reportOrderTransaction(
  ctx: Context,
  input: Input<Endpoints['reportOrderTransaction']>,
  parts: Parts,
): Answer<'reportOrderTransaction'> {
  const { accountId } = signedIn(input)
  const orderId = input.params.id
  const isChainUnavailable = await reportTransaction(ctx, parts, {
    accountId,
    orderId,
    txHash: toHash(input.body.transactionHash),
    network: networkOf(input.request.ip),
  })
  return orders.presentFresh(ctx, parts, orderId, isChainUnavailable)
}

export async function cancelOrder(
  ctx: Context,
  input: Input<Endpoints['cancelOrder']>,
  parts: Parts,
): Answer<'cancelOrder'> {
  await orders.cancelOrder(ctx, parts, signedIn(input).accountId, input.params.id)
  return orders.presentFresh(ctx, parts, input.params.id)
}

export async function listAdminOrders(
  ctx: Context,
  input: Input<Endpoints['listAdminOrders']>,
  parts: Parts,
): Answer<'listAdminOrders'> {
  const { flag, state, cursor, limit } = input.query
  const before = orders.parseCursor(cursor)
  const [rows, alone] = await Promise.all([
    orderStore.listAllOrders(ctx.db, { flag, state }, before, limit + 1),
    orderStore.listAllOrderless(ctx.db, { flag, state }, before, limit + 1),
  ])
  const subscriptionPaymentIds = rows.flatMap(({ subscriptionPaymentId }) => subscriptionPaymentId ?? [])
  const subscriptions = await parts.findSubscriptions(ctx, [
    ...subscriptionPaymentIds,
    ...alone.map(({ payment }) => payment.id),
  ])
  const transfers = await orderStore.listTransfersOf(
    ctx.db,
    rows.map(({ order }) => order.id),
  )
  const found = [
    ...rows.map((row) => {
      const own = transfers.filter(({ orderId }) => orderId === row.order.id)
      return presentAdminOrder(ctx, row, subscriptions.get(row.subscriptionPaymentId ?? '') ?? null, own)
    }),
    ...alone.map((row) => presentAdminOrderless(ctx, row, subscriptions.get(row.payment.id) ?? null)),
  ]
  return orders.pageOf(found, limit)
}

const messages = {
  refund_noted: 'The refund is noted with the purchase.',
  ignore: 'The purchase is marked as ignored.',
}

export const resolveOrder: Handler<Endpoints['resolveOrder']> = async (ctx, input) => {
  const { action, reason } = input.body
  await resolve(ctx, { by: auditorOf(input), id: input.params.id, action, reason })
  return { success: true, message: messages[action] }
}

/** Hashes are stored in lower case, as nodes return them. */
function toHash(text: string): `0x${string}` {
  return `0x${text.slice(2).toLowerCase()}`
}
