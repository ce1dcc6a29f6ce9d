import { itoTokenAbi } from '@tocsin/contracts/abi'
import type { endpoints, Order, PlanId } from '@tocsin/protocol'
import type { TestContext } from '@tocsin/testkit'
import { parseUnits } from 'viem'
import * as adminRoutes from '../src/features/payments/admin-routes.ts'
import { type ChainReads, createChainReads } from '../src/features/payments/chain-reads.ts'
import { followReportedTransactions } from '../src/features/payments/follow-order.ts'
import * as routes from '../src/features/payments/routes.ts'
import { checkPayments } from '../src/features/payments/watcher.ts'
import type { Input } from '../src/http/route.ts'
import { checkLedger } from './check-ledger.ts'
import { anna, box, chain, clock, createInput, getWallet, payIto } from './payment-fixture.ts'

/** Helpers for purchases by order, on top of the payment fixture. */

type Ctx = TestContext['ctx']
type Endpoints = typeof endpoints

interface Buyer {
  by?: string
  ip?: string
  isAdmin?: boolean
  ctx?: Ctx
}

const createBuyerInput = ({ by = anna, isAdmin = false, ip = '192.0.2.1' }: Buyer, proved: string[], more: object) =>
  ({
    ...createInput(by, proved, isAdmin),
    params: {},
    body: undefined,
    request: { id: 'r', headers: {}, ip },
    ...more,
  }) as unknown

export function makeOrder(
  plan: PlanId,
  {
    wallet = 1,
    proved = wallet,
    key,
    ctx = box.ctx,
    ...who
  }: Buyer & { wallet?: number; proved?: number; key?: string } = {},
): Promise<Order> {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  const body = { planType: plan, walletAddress: getWallet(wallet) }
  const input = createBuyerInput(who, [getWallet(proved)], { body, request: { id: 'r', headers } })
  return routes.createOrder(ctx, input as Input<Endpoints['createOrder']>)
}

/** @param reads by default neither limited nor cached */
export function readOrder(
  id: string,
  { ctx = box.ctx, reads = createChainReads(), ...who }: Buyer & { reads?: ChainReads } = {},
): Promise<Order> {
  const input = createBuyerInput(who, [], { params: { id } }) as Input<Endpoints['findOrder']>
  return routes.findOrder(ctx, input, reads)
}

export function reportHash(id: string, transactionHash: string, { ctx = box.ctx, ...who }: Buyer = {}): Promise<Order> {
  const input = createBuyerInput(who, [], { params: { id }, body: { transactionHash } })
  return routes.reportOrderTransaction(ctx, input as Input<Endpoints['reportOrderTransaction']>)
}

export function cancelOrder(id: string, who: Buyer = {}): Promise<Order> {
  const { ctx = box.ctx } = who
  return routes.cancelOrder(ctx, createBuyerInput(who, [], { params: { id } }) as Input<Endpoints['cancelOrder']>)
}

export function listBuyerOrders(query: { cursor?: string; limit?: number } = {}, who: Buyer = {}) {
  const input = createBuyerInput(who, [], { query: { limit: 20, ...query } })
  return routes.listOrders(box.ctx, input as Input<Endpoints['listOrders']>)
}

export function listFlaggedOrders(flag?: 'over') {
  const input = createBuyerInput({ isAdmin: true }, [], { query: { flag, limit: 20 } })
  return adminRoutes.listAdminOrders(box.ctx, input as Input<Endpoints['listAdminOrders']>)
}

/** Runs one round of both loops of the payment watcher. */
export async function runWatcherRound(ctx: Ctx = box.ctx): Promise<void> {
  await checkPayments(ctx)
  await followReportedTransactions(ctx)
}

/** Returns the context of the fixture with other payment terms. */
export function withTerms(change: {
  payment?: Partial<Ctx['config']['payment']>
  orders?: Partial<Ctx['config']['orders']>
}) {
  const { config } = box.ctx
  const payment = { ...config.payment, ...change.payment }
  return { ...box.ctx, config: { ...config, payment, orders: { ...config.orders, ...change.orders } } }
}

/** Pays in a block with this timestamp and sets the clock to it. */
export async function payAt(from: number, ito: string, at: Date) {
  await chain.control.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(at.getTime() / 1000)) })
  const paid = await payIto(from, ito)
  if (at > clock.now()) clock.advance(at.getTime() - clock.now().getTime())
  return paid
}

export const getTimeAfterDue = (order: Order, ms: number) => new Date(new Date(order.expiresAt).getTime() + ms)

/** Sends a transfer to the treasury that stays pending, because automatic mining is off. */
export async function sendPendingPayment(
  from: number,
  ito: string,
  more: { nonce?: number; tip?: bigint; to?: `0x${string}` } = {},
) {
  const tip = more.tip ?? 1_000_000_000n
  return chain.wallet(from).writeContract({
    address: chain.token,
    abi: itoTokenAbi,
    functionName: 'transfer',
    args: [more.to ?? chain.treasury, parseUnits(ito, 18)],
    gas: 100_000n,
    maxFeePerGas: 10n * tip,
    maxPriorityFeePerGas: tip,
    ...(more.nonce === undefined ? {} : { nonce: more.nonce }),
  })
}

/** Checks the ledger. Call this when all payments are confirmed and the watcher has run. */
export const assertLedger = () => checkLedger(box.ctx)
