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
import { configuredContexts, findPaymentChain, listPaymentContexts } from '../../chain/payment-chains.ts'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { countOpen } from './ledger-store.ts'
import { allocate } from './order.ts'
import * as orderStore from './order-store.ts'
import { acceptTransfers } from './payment.ts'
import * as store from './store.ts'
import { askPaymentChain, readTransaction } from './transaction.ts'

/**
 * The transfers of a transaction that pay for the plan and were not used, best first; at least one. Stores nothing.
 * @throws Refusal saying what is wrong with the payment, or `unavailable`
 */
export async function findTransfers(ctx: Context, claim: PaymentClaim): Promise<Transfer[]> {
  let refusal: Refusal | undefined
  for (const context of await listPaymentContexts(ctx)) {
    try {
      return await findTransfersOn(context, claim)
    } catch (error) {
      // Paid before the chain was changed: another one may know it. If none does, the answer is that of the chain that is chosen now.
      if (!(error instanceof Refusal) || !NOT_THERE.has(error.code)) throw error
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

const NOT_THERE = new Set<RefusalCode>(['payment_unknown', 'unavailable'])

async function findTransfersOn(ctx: Context, claim: PaymentClaim): Promise<Transfer[]> {
  const terms = ctx.config.payment
  const transaction = await readTransaction(ctx, claim.txHash)
  const used = await store.listUsedLogs(ctx.db, terms.chainId, claim.txHash)
  // What the session has proved on another chain may be somebody else's on this one.
  const owners = await store.listWalletOwners(ctx.db, claim.payers, terms.chainId)
  const payers = claim.payers.filter((payer) => owners.get(payer) === claim.accountId)
  return acceptTransfers(transaction, used, { ...claim, payers, now: ctx.clock.now() }, terms)
}

/**
 * Counts a transfer that somebody has named with a plan, for the order of that plan if there is one. The caller has locked the account.
 * @returns the payment's id, or null when it was counted before or sent back
 */
export async function recordPayment(tx: Tx, payment: Omit<store.NewPayment, 'orderId'>): Promise<string | null> {
  const found = await findNamedOrder(tx, payment)
  const paymentId = await store.recordPayment(tx, { ...payment, orderId: found?.orderId ?? null })
  if (paymentId && found) {
    const { transfer, now } = payment
    await orderStore.recordOrderPayment(tx, found.orderId, { ...transfer, flags: found.flags, paidAt: now })
  }
  return paymentId
}

/** The order that it was put down for before, or that it pays by itself, with what is unusual about that. */
async function findNamedOrder(tx: Tx, payment: Omit<store.NewPayment, 'orderId'>) {
  const named = await matchNamedOrder(tx, payment)
  if (!named) return null
  const { order, flags } = named
  const { transfer } = payment
  // Parts that nobody has settled stay with the order.
  const others = (await orderStore.lockParts(tx, [order.id])).filter(
    (part) => store.keyOf(part) !== store.keyOf(transfer),
  )
  const paidWei = others.reduce((sum, { amountWei }) => sum + amountWei, transfer.amountWei)
  const over: OrderFlag[] = paidWei > order.priceWei ? ['over'] : []
  return { orderId: order.id, flags: [...flags, ...over] }
}

async function matchNamedOrder(tx: Tx, { transfer, accountId, planId }: Omit<store.NewPayment, 'orderId'>) {
  const unpaid = await orderStore.lockUnpaid(tx, { ...transfer, accountIds: [accountId], payers: [transfer.payer] })
  const candidates = unpaid.filter((order) => order.planId === planId).map((order) => ({ ...order, parts: [] }))
  const before = await store.findUnmatched(tx, transfer)
  const known = candidates.find(({ id }) => id === before?.orderId)
  if (known) return { order: known, flags: [] }
  const terms = { toleranceBps: 0, priceOf: (id: PlanId) => getPlan(id).priceWei, maxAgeMs: 0 }
  const [match] = allocate([transfer], candidates, terms)
  const isPaid = match?.kind === 'paid' || (match?.kind === 'late' && transfer.amountWei >= match.order.priceWei)
  return match && match.kind !== 'none' && isPaid ? { order: match.order, flags: match.flags } : null
}

/** Twice the longest pause of the watcher. */
const WATCHER_LATE_MS = 60_000

/** How far the watcher of the chosen chain is behind, for the operator. */
export async function paymentDetails(ctx: Context): Promise<AdminSystem['payments']> {
  const [chosen] = await listPaymentContexts(ctx)
  const [cursor, head, trouble, unmatchedOpen] = await Promise.all([
    store.findCursor(ctx.db, chosen.config.payment),
    findHead(chosen),
    findWatcherTrouble(ctx),
    countOpen(ctx.db),
  ])
  const behindMs = cursor && Math.max(0, ctx.clock.now().getTime() - cursor.readAt.getTime())
  return {
    chainName: getChain(chosen.config.payment.chainId).name,
    readAt: cursor?.readAt.toISOString() ?? null,
    behindSeconds: behindMs === null ? null : Math.round(behindMs / 100) / 10,
    behindBlocks: cursor && head !== null ? Math.max(0, head - cursor.blockNumber) : null,
    trouble,
    unmatchedOpen,
  }
}

const HEAD_PATIENCE_MS = 1_500

/** Null where the chain can't be asked in time. */
async function findHead(ctx: Context): Promise<number | null> {
  const head = askPaymentChain(ctx, async () => Number(await ctx.paymentChain.getBlockNumber())).catch(() => null)
  const tooLong = new Promise<null>((resolve) => setTimeout(resolve, HEAD_PATIENCE_MS, null).unref())
  return Promise.race([head, tooLong])
}

/** Why payments that nobody reports are not credited right now; null while the watcher gets on, on whichever instance. */
export async function findWatcherTrouble(ctx: Context): Promise<string | null> {
  const chosen = await findPaymentChain(ctx)
  if (!chosen.isReadable) return `no node is configured for ${chosen.name}, where payments are made now`
  for (const context of configuredContexts(ctx)) {
    const trouble = await findTroubleOn(context)
    if (trouble !== null) return trouble
  }
  return null
}

async function findTroubleOn(ctx: Context): Promise<string | null> {
  const cursor = await store.findCursor(ctx.db, ctx.config.payment)
  if (!cursor) return 'the payment chain was not read yet'
  const isLate = ctx.clock.now().getTime() - cursor.readAt.getTime() > WATCHER_LATE_MS
  return isLate ? `the payment chain was last read at ${cursor.readAt.toISOString()}` : null
}

/** What is held of the account's payments, for its owner. */
export async function exportPayments(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await store.listPaymentsOf(ctx.db, accountId)
  return rows.map(({ accountId: _owner, resolvedBy: _admin, amountWei, priceWei, ...row }) => ({
    ...row,
    amountWei: amountWei.toString(),
    priceWei: priceWei?.toString() ?? null,
  }))
}

/** The same of the account's purchases. */
export async function exportOrders(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await orderStore.listOrdersForExport(ctx.db, accountId)
  return rows.map(({ accountId: _owner, resolvedBy: _admin, priceWei, ...row }) => ({
    ...row,
    priceWei: priceWei.toString(),
  }))
}
