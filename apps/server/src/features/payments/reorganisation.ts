import type { Hex } from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { withPayment } from '../../chain/payment-chains.ts'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { mapLimit } from '../../map-limit.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { restorePayment } from '../subscriptions/service.ts'
import { creditLoadedTransaction, type SubscriptionOperations } from './credit-payment.ts'
import { computeRequiredOnChain } from './order.ts'
import * as orderStore from './order-store.ts'
import { isConfirmed, isIncoming, toRecordedTerms } from './payment.ts'
import * as store from './store.ts'
import { type ChainTransaction, callPaymentChain, findBlock, readTransactions } from './transaction.ts'

/** Number of blocks after which a payment is final: two epochs of Ethereum. */
const FINAL_AFTER_BLOCKS = 64

/**
 * Maximum number of transfers of each kind that one round reads again. The others wait for the next
 * rounds, so that a reorganisation of thousands of transfers does not delay new payments.
 */
export const MAX_RECHECKED_TRANSFERS = 200
/** Maximum number of concurrent block reads. The node receives them in batches. */
const MAX_CONCURRENT_READS = 50

type WatcherState = Awaited<ReturnType<typeof findWatcherState>>

/**
 * Returns the position of the scan, and which kinds of recorded transfers this round has to check.
 * Uses one statement for all kinds, because usually no transfer has to be checked.
 */
export async function findWatcherState(ctx: Context, head: number) {
  const afterBlock = head - FINAL_AFTER_BLOCKS
  const watcherState = await store.findWatcherState(ctx.db, ctx.config.payment, {
    afterBlock,
    notBefore: computePayableSince(ctx),
  })
  return { afterBlock, ...watcherState }
}

/** Returns the time before which blocks are too old to pay for anything. */
export function computePayableSince({ clock, config }: Context): Date {
  return new Date(clock.now().getTime() - config.payment.maxAgeHours * HOUR_MS)
}

/**
 * Compares the blocks of all transfers that are not final with the chain. The decision is based on
 * the block hash at the block's height: a missing receipt may only mean a lagging node. Reverted
 * transfers are read again in pages, because they may come back.
 */
export async function recheckPayments(
  ctx: Context,
  effects: SubscriptionOperations,
  { afterBlock, isReversible, hasRevertedTransfers }: WatcherState,
): Promise<void> {
  const { chainId } = ctx.config.payment
  const replacedBlocks = isReversible
    ? await findReplacedBlocks(ctx, await store.listReversibleBlocks(ctx.db, chainId, afterBlock))
    : []
  if (replacedBlocks.length === 0 && !hasRevertedTransfers) return
  const pages = takeNextPages(ctx)
  const payments = [
    ...(replacedBlocks.length > 0
      ? await store.listPaymentsIn(ctx.db, chainId, replacedBlocks, MAX_RECHECKED_TRANSFERS)
      : []),
    ...(await pages.payments((page) => store.listRevertedPayments(ctx.db, chainId, page))),
  ]
  await recheckTransfers(ctx, payments, (payment, seenTransaction) =>
    updatePayment(ctx, effects, payment, seenTransaction),
  )
  const unmatchedTransfers = [
    ...(replacedBlocks.length > 0
      ? await store.listUnmatchedIn(ctx.db, chainId, replacedBlocks, MAX_RECHECKED_TRANSFERS)
      : []),
    ...(await pages.unmatched((page) => store.listRevertedUnmatched(ctx.db, chainId, page))),
  ]
  await recheckTransfers(ctx, unmatchedTransfers, (transfer, seenTransaction) =>
    updateUnmatched(ctx, effects, transfer, seenTransaction),
  )
}

/**
 * Returns the hashes that are no longer on the chain. Heights that the node lacks are ignored,
 * because the node may lag.
 */
async function findReplacedBlocks(ctx: Context, blocks: readonly { number: number; hash: Hex }[]): Promise<Hex[]> {
  const hashesByHeight = new Map<number, Hex | null>()
  if (blocks.length === 0) return []
  await callPaymentChain(ctx, () =>
    mapLimit(MAX_CONCURRENT_READS, new Set(blocks.map(({ number }) => number)), async (height) => {
      hashesByHeight.set(height, (await findBlock(ctx, { blockNumber: BigInt(height) }))?.hash ?? null)
    }),
  )
  return blocks.flatMap(({ number, hash }) => {
    const currentHash = hashesByHeight.get(number) ?? null
    return currentHash === null || currentHash === hash ? [] : [hash]
  })
}

/**
 * Ids of the reverted transfers that were read last; the next page starts after them. Kept in
 * memory: a new leader starts at the first id.
 */
const pagePositions = new WeakMap<Context['paymentChain'], { payments: string; unmatched: string }>()

function takeNextPages(ctx: Context) {
  const notBefore = computePayableSince(ctx)
  const pagePosition = pagePositions.get(ctx.paymentChain) ?? { payments: store.FIRST_ID, unmatched: store.FIRST_ID }
  pagePositions.set(ctx.paymentChain, pagePosition)
  const takeNextPage =
    (kind: keyof typeof pagePosition) =>
    async <Row extends { id: string }>(list: (page: store.RevertedPage) => Promise<Row[]>): Promise<Row[]> => {
      const rows = await list({ afterId: pagePosition[kind], limit: MAX_RECHECKED_TRANSFERS, notBefore })
      pagePosition[kind] = rows.length < MAX_RECHECKED_TRANSFERS ? store.FIRST_ID : (rows.at(-1)?.id ?? store.FIRST_ID)
      return rows
    }
  return { payments: takeNextPage('payments'), unmatched: takeNextPage('unmatched') }
}

/**
 * A transaction as the chain shows it now, and the recorded transfer in it. The transfer is null
 * unless it is confirmed and has the recorded payer and amount.
 */
interface SeenTransaction {
  transaction: ChainTransaction
  transfer: Transfer | null
  /** A confirmed transfer at the same index that has another payer or amount. */
  replacement: Transfer | null
}

/**
 * Updates transfers whose block was replaced, and reverted transfers that are back on the chain. A
 * failing update does not delay the others.
 * @throws the first error
 */
async function recheckTransfers<Row extends RecordedTransfer & { revertedAt: Date | null }>(
  ctx: Context,
  rows: readonly Row[],
  update: (row: Row, seenTransaction: SeenTransaction) => Promise<void>,
): Promise<void> {
  if (rows.length === 0) return
  const failures: unknown[] = []
  const hashes = rows.map(({ txHash }) => txHash)
  const transactions = await readTransactions(ctx, hashes, (_hash, error) => failures.push(error))
  for (const row of rows) {
    const transaction = transactions.get(row.txHash)
    if (!transaction) continue
    const transfers = isConfirmed(transaction, ctx.config.payment) ? transaction.transfers : []
    const terms = toRecordedTerms(ctx.config.payment, row)
    const seenTransfer =
      transfers.find((candidate) => candidate.logIndex === row.logIndex && isIncoming(candidate, terms)) ?? null
    if (row.revertedAt !== null && seenTransfer === null) continue
    const isSame = seenTransfer?.payer === row.payer && seenTransfer.amountWei === row.amountWei
    const transferState = isSame
      ? { transfer: seenTransfer, replacement: null }
      : { transfer: null, replacement: seenTransfer }
    await update(row, { transaction, ...transferState }).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Handles a payment whose block was replaced: its transaction is in another block, or gone. Revokes
 * the period if the paid amount falls below the price, and restores it if the amount reaches the
 * price again. A transfer that has replaced the payment is left to an operator: the payment keeps
 * the amount that its period is based on.
 */
async function updatePayment(
  ctx: Context,
  effects: SubscriptionOperations,
  payment: store.PaymentRow,
  { transfer, replacement }: SeenTransaction,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (payment.accountId !== null) await lockAccount(tx, payment.accountId)
    const wasPaid = await isPaid(ctx, tx, payment)
    const now = ctx.clock.now()
    if (transfer) await store.markMined(tx, payment.id, transfer)
    else await store.markReverted(tx, payment.id, now)
    if (replacement) {
      await store.saveUnmatched(tx, [{ transfer: replacement, reason: 'other_amount', orderId: null, now }])
    }
    const isPaidAfter = await isPaid(ctx, tx, payment)
    if (wasPaid === isPaidAfter) return
    const subscriptionPaymentId =
      payment.orderId === null ? payment.id : await orderStore.findSubscriptionPayment(tx, payment.orderId)
    if (subscriptionPaymentId === null) return
    if (isPaidAfter) await restorePayment(ctx, tx, subscriptionPaymentId)
    else await effects.revokePayment(ctx, tx, subscriptionPaymentId)
  })
}

/**
 * Returns true if the payments of an order, or a payment without an order, still cover the price on
 * the chain.
 */
async function isPaid(ctx: Context, tx: Tx, payment: store.PaymentRow): Promise<boolean> {
  const relatedPayments = await orderStore.listRelatedPayments(tx, payment)
  const price = payment.orderId === null ? null : await orderStore.findPrice(tx, payment.orderId)
  const everCreditedWei = relatedPayments.reduce((sum, { amountWei }) => sum + amountWei, 0n)
  const onChainWei = relatedPayments.reduce((sum, { amountWei, revertedAt }) => sum + (revertedAt ? 0n : amountWei), 0n)
  return onChainWei >= computeRequiredOnChain(price, everCreditedWei, ctx.config.orders.toleranceBps)
}

/**
 * Updates an unmatched transfer. A partial payment that is back on the chain may complete its
 * order. The credit comes first: if it fails, the transfer stays reverted and is read again.
 */
async function updateUnmatched(
  ctx: Context,
  effects: SubscriptionOperations,
  unmatched: store.UnmatchedRow,
  { transaction, transfer }: SeenTransaction,
): Promise<void> {
  if (transfer && unmatched.orderId !== null) {
    const recordedContext = withPayment(ctx, toRecordedTerms(ctx.config.payment, unmatched))
    await creditLoadedTransaction(recordedContext, transaction, effects)
  }
  await store.moveUnmatched(ctx.db, unmatched.id, transfer, ctx.clock.now())
}

type RecordedTransfer = Pick<store.PaymentRow, 'txHash' | 'logIndex' | 'token' | 'treasury' | 'payer' | 'amountWei'>
