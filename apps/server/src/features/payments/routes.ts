import { type endpoints, getPlan, idempotencyKey, type Order } from '@tocsin/protocol'
import { getAddress } from 'viem'
import type { Context } from '../../context.ts'
import { getNetwork } from '../../http/network.ts'
import { type Handler, type Input, requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { presentSubscription } from '../subscriptions/present.ts'
import { confirmWallets } from '../wallets/recheck.ts'
import type { ChainReads } from './chain-reads.ts'
import * as orders from './order-service.ts'
import { reportTransaction } from './report-transaction.ts'
import { subscribe as startSubscription } from './subscribe.ts'
import { toHash } from './transaction.ts'

type Endpoints = typeof endpoints

/** Starts a subscription for a payment that the client reports. */
export const subscribe: Handler<Endpoints['subscribe']> = async (ctx, input) => {
  const actor = requireActor(input)
  const payers = actor.provedWallets
  if (payers.length === 0) {
    throw new Refusal('wallet_not_proved', 'Sign in with the wallet that has paid, then try again.')
  }
  const subscription = await startSubscription(ctx, {
    accountId: actor.accountId,
    sessionId: actor.sessionId,
    plan: getPlan(input.body.planType),
    txHash: toHash(input.body.transactionHash),
    payers,
  })
  return presentSubscription(subscription, ctx.clock.now())
}

export const createOrder: Handler<Endpoints['createOrder']> = async (ctx, input) => {
  const actor = requireActor(input)
  const payer = getAddress(input.body.walletAddress)
  if (!(await confirmWallets(ctx, actor, [payer])).includes(payer)) {
    throw new Refusal('wallet_not_proved', 'Sign in with the wallet that will pay, then try again.')
  }
  const { accountId, sessionId } = actor
  const { planType: planId, couponCode } = input.body
  const key = readKey(input.request.headers['idempotency-key'])
  const network = getNetwork(input.request.ip)
  const id = await orders.createOrder(ctx, { accountId, sessionId, planId, payer, key, couponCode, network })
  return orders.loadPresentedOrder(ctx, id)
}

function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const key = idempotencyKey.safeParse(header)
  if (!key.success) throw new Refusal('malformed', 'Idempotency-Key takes up to 200 printable characters.')
  return key.data
}

export const listOrders: Handler<Endpoints['listOrders']> = async (ctx, input) => {
  const { cursor, limit } = input.query
  return orders.listOrders(ctx, requireActor(input).accountId, { cursor, limit })
}

export function findOrder(ctx: Context, input: Input<Endpoints['findOrder']>, reads: ChainReads): Promise<Order> {
  return orders.loadOrder(ctx, requireActor(input), input.params.id, reads)
}

export const reportOrderTransaction: Handler<Endpoints['reportOrderTransaction']> = async (ctx, input) => {
  const { accountId } = requireActor(input)
  const orderId = input.params.id
  const isChainUnavailable = await reportTransaction(ctx, {
    accountId,
    orderId,
    txHash: toHash(input.body.transactionHash),
    network: getNetwork(input.request.ip),
  })
  return orders.loadPresentedOrder(ctx, orderId, isChainUnavailable)
}

export const cancelOrder: Handler<Endpoints['cancelOrder']> = async (ctx, input) => {
  await orders.cancelOrder(ctx, requireActor(input), input.params.id)
  return orders.loadPresentedOrder(ctx, input.params.id)
}
