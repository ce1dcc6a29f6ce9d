import type { Hex } from '@tocsin/proof'
import {
  type AdminSystem,
  getChain,
  getPlan,
  type OrderFlag,
  type Plan,
  type PlanId,
  type RefusalCode,
} from '@tocsin/protocol'
import { findPaymentChain, listChainContexts, listChainContextsSelectedFirst } from '../../chain/payment-chains.ts'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { countOpenTransfers } from './ledger-store.ts'
import { allocateTransfers } from './order.ts'
import * as orderStore from './order-store.ts'
import { acceptTransfers } from './payment.ts'
import * as store from './store.ts'
import { callPaymentChain, readTransaction, withChainDeadline } from './transaction.ts'

/**
 * Returns the unused transfers of a transaction that pay for the plan, smallest first. Returns at
 * least one transfer and writes nothing.
 * @throws Refusal with the reason, or `unavailable`
 */
export async function findTransfers(ctx: Context, claim: PaymentClaim): Promise<Transfer[]> {
  let refusal: Refusal | undefined
  for (const context of await listChainContextsSelectedFirst(ctx)) {
    try {
      return await findTransfersOn(context, claim)
    } catch (error) {
      // The payment may be on a chain that was selected earlier. If no chain knows it, report the
      // error of the selected chain.
      if (!(error instanceof Refusal) || !NOT_FOUND_CODES.has(error.code)) throw error
      refusal ??= error
    }
  }
  throw refusal
}

interface PaymentClaim {
  accountId: string
  txHash: Hex
  plan: Plan
  payers: readonly string[]
}

const NOT_FOUND_CODES = new Set<RefusalCode>(['payment_unknown', 'unavailable'])

async function findTransfersOn(ctx: Context, claim: PaymentClaim): Promise<Transfer[]> {
  const terms = ctx.config.payment
  const transaction = await readTransaction(ctx, claim.txHash)
  const usedLogIndexes = await store.listUsedLogIndexes(ctx.db, terms.chainId, claim.txHash)
  // Keep only payers that the account owns on this chain: a wallet proved on another chain may
  // belong to someone else on this one.
  const owners = await store.listWalletOwners(ctx.db, claim.payers, terms.chainId)
  const payers = claim.payers.filter((payer) => owners.get(payer) === claim.accountId)
  return acceptTransfers(transaction, usedLogIndexes, { ...claim, payers, now: ctx.clock.now() }, terms)
}

/**
 * Records a transfer that was reported together with a plan. If an order matches, the transfer is
 * recorded for it. Callers must hold the account lock.
 * @returns the payment's id, or null if the transfer was already recorded or refunded
 */
export async function recordPayment(tx: Tx, payment: Omit<store.NewPayment, 'orderId'>): Promise<string | null> {
  const namedOrder = await findNamedOrder(tx, payment)
  const paymentId = await store.recordPayment(tx, { ...payment, orderId: namedOrder?.orderId ?? null })
  if (paymentId && namedOrder) {
    const { transfer, now } = payment
    await orderStore.recordOrderPayment(tx, namedOrder.orderId, { ...transfer, flags: namedOrder.flags, paidAt: now })
  }
  return paymentId
}

/**
 * Returns the order that the transfer was recorded for earlier, or the order that it pays, with its
 * flags.
 */
async function findNamedOrder(tx: Tx, payment: Omit<store.NewPayment, 'orderId'>) {
  const matchedOrder = await matchNamedOrder(tx, payment)
  if (!matchedOrder) return null
  const { order, flags } = matchedOrder
  const { transfer } = payment
  // Unresolved partial payments still count for the order.
  const otherParts = (await orderStore.lockParts(tx, [order.id])).filter(
    (part) => store.formatTransferKey(part) !== store.formatTransferKey(transfer),
  )
  const paidWei = otherParts.reduce((sum, { amountWei }) => sum + amountWei, transfer.amountWei)
  const overpaidFlags: OrderFlag[] = paidWei > order.priceWei ? ['over'] : []
  return { orderId: order.id, flags: [...flags, ...overpaidFlags] }
}

async function matchNamedOrder(tx: Tx, { transfer, accountId, planId }: Omit<store.NewPayment, 'orderId'>) {
  const unpaidOrders = await orderStore.lockUnpaid(tx, {
    ...transfer,
    accountIds: [accountId],
    payers: [transfer.payer],
  })
  const candidates = unpaidOrders.filter((order) => order.planId === planId).map((order) => ({ ...order, parts: [] }))
  const earlierTransfer = await store.findUnmatched(tx, transfer)
  const orderOfTransfer = candidates.find(({ id }) => id === earlierTransfer?.orderId)
  if (orderOfTransfer) return { order: orderOfTransfer, flags: [] }
  const terms = { toleranceBps: 0, priceOf: (id: PlanId) => getPlan(id).priceWei, maxAgeMs: 0 }
  const [allocation] = allocateTransfers([transfer], candidates, terms)
  const isPaid =
    allocation?.kind === 'paid' || (allocation?.kind === 'late' && transfer.amountWei >= allocation.order.priceWei)
  return allocation && allocation.kind !== 'none' && isPaid
    ? { order: allocation.order, flags: allocation.flags }
    : null
}

/** Time without progress after which the watcher is late: twice its maximum backoff. */
const WATCHER_LATE_MS = 60_000

/** Returns the progress of the watcher on the selected chain, for admins. */
export async function paymentDetails(ctx: Context): Promise<AdminSystem['payments']> {
  const [selectedContext] = await listChainContextsSelectedFirst(ctx)
  const [cursor, head, problem, unmatchedOpen] = await Promise.all([
    store.findWatcherCursor(ctx.db, selectedContext.config.payment),
    findHead(selectedContext),
    findWatcherProblem(ctx),
    countOpenTransfers(ctx.db),
  ])
  const behindMs = cursor && Math.max(0, ctx.clock.now().getTime() - cursor.readAt.getTime())
  return {
    chainName: getChain(selectedContext.config.payment.chainId).name,
    readAt: cursor?.readAt.toISOString() ?? null,
    behindSeconds: behindMs === null ? null : Math.round(behindMs / 100) / 10,
    behindBlocks: cursor && head !== null ? Math.max(0, head - cursor.blockNumber) : null,
    trouble: problem,
    unmatchedOpen,
  }
}

/**
 * Returns the stored position of the watcher on the context's chain: the newest block that it has
 * processed, and when the position was saved. Null before the watcher's first round.
 */
export function findWatcherPosition(ctx: Context): Promise<{ blockNumber: number; readAt: Date } | null> {
  return store.findWatcherCursor(ctx.db, ctx.config.payment)
}

const HEAD_TIMEOUT_MS = 1_500

/** Returns the height of the chain, or null if the chain cannot be read in time. */
function findHead(ctx: Context): Promise<number | null> {
  const head = callPaymentChain(ctx, async () => Number(await ctx.paymentChain.getBlockNumber()))
  return withChainDeadline(head, HEAD_TIMEOUT_MS)
}

/**
 * Returns why payments are not credited, or null if every configured chain was read recently, by
 * any instance.
 */
export async function findWatcherProblem(ctx: Context): Promise<string | null> {
  const selectedChain = await findPaymentChain(ctx)
  if (!selectedChain.isReadable) return `no node is configured for ${selectedChain.name}, where payments are made now`
  for (const context of listChainContexts(ctx)) {
    const problem = await findChainProblem(context)
    if (problem !== null) return problem
  }
  return null
}

async function findChainProblem(ctx: Context): Promise<string | null> {
  const cursor = await findWatcherPosition(ctx)
  if (!cursor) return 'the payment chain has not been read yet'
  const isLate = ctx.clock.now().getTime() - cursor.readAt.getTime() > WATCHER_LATE_MS
  return isLate ? `the payment chain was last read at ${cursor.readAt.toISOString()}` : null
}

/** Returns the account's payments, for the data export. */
export async function exportPayments(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await store.listPaymentsOf(ctx.db, accountId)
  return rows.map(({ accountId: _owner, resolvedBy: _admin, amountWei, priceWei, ...row }) => ({
    ...row,
    amountWei: amountWei.toString(),
    priceWei: priceWei?.toString() ?? null,
  }))
}

/** Returns the account's purchases, for the data export. */
export async function exportOrders(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await orderStore.listOrdersForExport(ctx.db, accountId)
  return rows.map(({ accountId: _owner, resolvedBy: _admin, priceWei, listPriceWei, ...row }) => ({
    ...row,
    priceWei: priceWei.toString(),
    listPriceWei: listPriceWei?.toString() ?? null,
  }))
}
