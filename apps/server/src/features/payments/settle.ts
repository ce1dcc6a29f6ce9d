import type { Hex } from '@tocsin/proof'
import { getPlan, type PlanId } from '@tocsin/protocol'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { sideBySide } from '../../side-by-side.ts'
import { type Allocation, allocate, type OrderTerms } from './order.ts'
import * as orderStore from './order-store.ts'
import { isIncoming, matchTransfer } from './payment.ts'
import * as store from './store.ts'
import { type ChainTransaction, readTransaction, readTransactions } from './transaction.ts'

export type CountedTransfer = store.NewPayment['transfer']

/** Counts a transfer once and for ever: the payment's id, or null when it was counted before or sent back. */
export type CountTransfer = (
  tx: Tx,
  payment: { transfer: CountedTransfer; accountId: string; planId: PlanId; now: Date },
) => Promise<string | null>

/** What payments do to subscriptions. */
export interface PaymentEffects {
  /** Before anything else of the account is locked, as everywhere. Null when there is no such account any more. */
  lockAccount(tx: Tx, accountId: string): Promise<object | null>
  /** Starts the period that the transfer pays for, counting it with `count`. The period's id; null, and nothing done, when that has counted it before. */
  credit(
    ctx: Context,
    tx: Tx,
    count: CountTransfer,
    credit: { accountId: string; planId: PlanId; transfer: CountedTransfer },
  ): Promise<string | null>
  /** Takes away what the payment had given. */
  revokePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void>
  /** Gives it again. */
  restorePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void>
}

const HOUR_MS = 3_600_000
/** Half of the database's connections: whoever uses the site meanwhile needs some too. */
const SETTLED_AT_ONCE = 8

/**
 * Counts what a confirmed transaction has brought to the treasury: for orders of the wallet's owner, for a plan whose price it is exactly, or as
 * unmatched. Whoever asks, it is the log's payer who gets it. Does nothing the second time.
 */
export async function settleTransaction(ctx: Context, effects: PaymentEffects, txHash: Hex): Promise<void> {
  const transaction = await readTransaction(ctx, txHash)
  ctx.failpoint('payment: after receipt')
  await settleMined(ctx, effects, transaction)
}

/** The same of a transaction that has just been read. */
export async function settleMined(ctx: Context, effects: PaymentEffects, transaction: ChainTransaction): Promise<void> {
  for (const transfers of listArrived(ctx, transaction)) await settleArrived(ctx, effects, transfers)
}

/**
 * The same of many, in the order of the chain: what one person has paid is counted one after the other, whatever the wallet, and several people's
 * at a time.
 * @returns whether all of them were confirmed
 */
export async function settleTransactions(
  ctx: Context,
  effects: PaymentEffects,
  txHashes: readonly Hex[],
): Promise<boolean> {
  const transactions = await readTransactions(ctx, txHashes)
  for (const _read of transactions) ctx.failpoint('payment: after receipt')
  const arrived = transactions.flatMap((transaction) => listArrived(ctx, transaction))
  const owners = await store.listWalletOwners(ctx.db, [...new Set(arrived.map(([first]) => first.payer))])
  const queues = new Map<string, Arrived[]>()
  for (const transfers of arrived) {
    const { payer } = transfers[0]
    const whose = owners.get(payer) ?? payer
    queues.set(whose, [...(queues.get(whose) ?? []), transfers])
  }
  await sideBySide(SETTLED_AT_ONCE, queues.values(), async (queue) => {
    for (const transfers of queue) await settleArrived(ctx, effects, transfers)
  })
  return transactions.every((transaction) => isConfirmed(ctx, transaction))
}

/** At least one transfer, all of one payer and one transaction. */
type Arrived = [Transfer, ...Transfer[]]

function isConfirmed(ctx: Context, transaction: ChainTransaction) {
  return transaction.state === 'mined' && transaction.confirmations >= ctx.config.payment.confirmations
}

/** What a confirmed transaction has brought, by payer. */
function listArrived(ctx: Context, transaction: ChainTransaction): Arrived[] {
  const terms = ctx.config.payment
  if (transaction.state !== 'mined' || transaction.confirmations < terms.confirmations) return []
  const byPayer = new Map<string, Arrived>()
  for (const transfer of transaction.transfers) {
    if (!isIncoming(transfer, terms)) continue
    const before = byPayer.get(transfer.payer)
    byPayer.set(transfer.payer, before ? [...before, transfer] : [transfer])
  }
  return [...byPayer.values()]
}

async function settleArrived(ctx: Context, effects: PaymentEffects, transfers: Arrived): Promise<void> {
  await ctx.db.transaction((tx) => settlePayer(ctx, tx, effects, transfers))
  ctx.failpoint('payment: after commit')
}

/** In one transaction with the periods that it starts. */
async function settlePayer(ctx: Context, tx: Tx, effects: PaymentEffects, arrived: Arrived): Promise<void> {
  const [first] = arrived
  const ownerId = await store.findWalletOwner(tx, first.payer)
  const accountId = ownerId !== null && (await effects.lockAccount(tx, ownerId)) ? ownerId : null
  const used = await store.listUsedLogs(tx, first.chainId, first.txHash)
  const transfers = arrived.filter(({ logIndex }) => !used.has(logIndex))
  if (transfers.length === 0) return
  const { orders, parts } = await lockOrders(tx, accountId, first, transfers)
  const settled: string[] = []
  for (const allocation of allocate(transfers, orders, orderTerms(ctx))) {
    if (allocation.kind === 'none') await settleWithoutOrder(ctx, tx, effects, accountId, allocation.transfers)
    else {
      settled.push(allocation.order.id)
      const before = parts.filter(({ orderId }) => orderId === allocation.order.id)
      await settleOrder(ctx, tx, effects, accountId, allocation, before)
    }
  }
  if (accountId !== null) await orderStore.clearOtherHints(tx, accountId, first.txHash, settled)
  ctx.failpoint('payment: before commit')
}

export function orderTerms({ config }: Context): OrderTerms {
  return {
    toleranceBps: config.orders.toleranceBps,
    priceOf: (planId) => getPlan(planId).priceWei,
    maxAgeMs: config.payment.maxAgeHours * HOUR_MS,
  }
}

/** The payer's unpaid orders with the parts that they have, without those that are settled now. */
async function lockOrders(tx: Tx, accountId: string | null, transfer: Transfer, settling: readonly Transfer[]) {
  if (accountId === null) return { orders: [], parts: [] }
  const { payer, chainId, token, recipient } = transfer
  const unpaid = await orderStore.lockUnpaid(tx, { accountId, payer, chainId, token })
  const meant = unpaid.filter(({ treasury }) => treasury === recipient)
  const counted = await orderStore.lockParts(
    tx,
    meant.map(({ id }) => id),
  )
  const parts = counted.filter(
    (part) => !settling.some(({ txHash, logIndex }) => part.txHash === txHash && part.logIndex === logIndex),
  )
  const orders = meant.map((order) => ({ ...order, parts: parts.filter(({ orderId }) => orderId === order.id) }))
  return { orders, parts }
}

type OfOrder = Exclude<Allocation<Transfer, orderStore.OrderColumns>, { kind: 'none' }>

async function settleOrder(
  ctx: Context,
  tx: Tx,
  effects: PaymentEffects,
  accountId: string | null,
  {
    kind,
    order,
    transfers,
    flags,
  }: Pick<OfOrder, 'kind' | 'transfers' | 'flags'> & { order: { id: string; planId: PlanId } },
  parts: readonly store.UnmatchedRow[],
): Promise<void> {
  const now = ctx.clock.now()
  const last = transfers.at(-1)
  if (!last || accountId === null) return
  if (kind === 'paid') {
    const count: CountTransfer = (inTx, payment) => store.countTransfer(inTx, { ...payment, orderId: order.id })
    const { planId } = order
    for (const transfer of [...parts, ...transfers.slice(0, -1)]) {
      await count(tx, { transfer, accountId, planId, now })
    }
    await effects.credit(ctx, tx, count, { accountId, planId, transfer: last })
    await orderStore.markSettled(tx, order.id, { ...last, flags, paidAt: now })
    return
  }
  const reason = kind === 'part' ? 'partial' : 'late'
  for (const transfer of transfers) await store.saveUnmatched(tx, transfer, { reason, orderId: order.id, now })
  await orderStore.markSettled(tx, order.id, { ...last, flags })
}

async function settleWithoutOrder(
  ctx: Context,
  tx: Tx,
  effects: PaymentEffects,
  accountId: string | null,
  transfers: readonly Transfer[],
): Promise<void> {
  const now = ctx.clock.now()
  for (const transfer of transfers) {
    const match = matchTransfer(transfer, accountId, now, ctx.config.payment)
    if (typeof match === 'string') await store.saveUnmatched(tx, transfer, { reason: match, orderId: null, now })
    else {
      const count: CountTransfer = (inTx, payment) => store.countTransfer(inTx, { ...payment, orderId: null })
      await effects.credit(ctx, tx, count, { accountId: match.accountId, planId: match.plan.id, transfer })
    }
  }
}
