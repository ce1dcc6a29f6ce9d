import type { Hex } from '@tocsin/proof'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { isAddressEqual } from 'viem'
import { withPayment } from '../../chain/payment-chains.ts'
import type { TransferLog } from '../../chain/transfer-logs.ts'
import type { Context } from '../../context.ts'
import { isCollectingFor } from './collection-store.ts'
import { createOrderTerms, creditLoadedTransaction } from './credit-payment.ts'
import { allocateTransfers } from './order.ts'
import * as orderStore from './order-store.ts'
import { isIncoming } from './payment.ts'
import * as store from './store.ts'
import { type ChainTransaction, callPaymentChain, findBlock, readTransactions } from './transaction.ts'

type FollowedOrder = orderStore.OrderColumns

/** A transaction unknown to all nodes for this long counts as dropped. */
const DROPPED_AFTER_MS = 10 * MINUTE_MS
/** Maximum number of reported transactions read per round, in JSON-RPC batches. */
const TRANSACTIONS_PER_RUN = 50

/**
 * Reads the state of the reported transactions that are due for a read, least-read first, up to a
 * maximum per round. The interval grows after every read, because anyone can report a made-up hash.
 * Crediting does not depend on these reads: the watcher finds payments by their Transfer logs.
 */
export async function followReportedTransactions(ctx: Context): Promise<void> {
  const { chainId } = ctx.config.payment
  const now = ctx.clock.now()
  await orderStore.dropTransactionsOfEndedOrders(ctx.db, chainId, now)
  await followOrders(ctx, await orderStore.claimReportedTransactions(ctx.db, chainId, now, TRANSACTIONS_PER_RUN))
}

/** Reads the reported transaction of one order, if it is due for a read. */
export async function followOrder(ctx: Context, id: string): Promise<void> {
  const { chainId } = ctx.config.payment
  await followOrders(ctx, await orderStore.claimReportedTransactions(ctx.db, chainId, ctx.clock.now(), 1, id))
}

/**
 * Reads the transactions of the claimed orders and credits the confirmed ones. A transaction that
 * several orders name is read once.
 */
async function followOrders(ctx: Context, claimedOrders: readonly FollowedOrder[]): Promise<void> {
  if (claimedOrders.length === 0) return
  // Read the nonces before the receipts. A transaction that is mined between the two reads then has
  // a receipt, so it does not count as replaced.
  const replacedOrderIds = await listReplaced(ctx, claimedOrders)
  const hashes = claimedOrders.flatMap(({ txHash }) => txHash ?? [])
  const transactionsByHash = await readTransactions(ctx, hashes, (hash, error) =>
    ctx.logger.debug({ err: error, hash }, 'a reported transaction could not be read'),
  )
  ctx.failpoint('payment: after receipt')
  for (const order of claimedOrders) {
    const transaction = order.txHash === null ? undefined : transactionsByHash.get(order.txHash)
    if (order.txHash === null || !transaction) continue
    await followTransaction(ctx, order, order.txHash, transaction, replacedOrderIds.has(order.id))
  }
}

async function followTransaction(
  ctx: Context,
  order: FollowedOrder,
  txHash: Hex,
  transaction: ChainTransaction,
  isReplaced: boolean,
): Promise<void> {
  if (transaction.state === 'mined') {
    // Use treasury and token of the order: the settings may have been changed since the order was
    // made.
    const orderContext = withPayment(ctx, { token: order.token, treasury: order.treasury })
    return followMined(orderContext, order, txHash, transaction)
  }
  const at = ctx.clock.now()
  const recordUpdate = (change: Omit<orderStore.TxUpdate, 'txHash' | 'at'>) =>
    orderStore.recordTransaction(ctx.db, order.id, { txHash, at, ...change }, txHash)
  if (transaction.state === 'reverted') {
    return recordUpdate({ txState: 'failed', blockNumber: transaction.blockNumber })
  }
  const isExpired =
    transaction.state === 'unknown' && at.getTime() - (order.txSeenAt ?? order.createdAt).getTime() > DROPPED_AFTER_MS
  if (isReplaced || isExpired) {
    // The order keeps its state until the collection ends, for which more proof is needed.
    // Otherwise the buyer could pay a second time.
    if (await isCollectingFor(ctx.db, order.id)) return
    return recordUpdate({ txState: 'dropped' })
  }
  const wasMined = order.txState === 'confirming' || order.txState === 'reorganised'
  const sender = (transaction.state === 'pending' && transaction.sender) || undefined
  if (wasMined) return recordUpdate({ txState: 'reorganised', sender })
  // An unknown transaction keeps its state until it expires.
  if (transaction.state === 'pending') return recordUpdate({ txState: 'seen', sender })
}

async function followMined(
  ctx: Context,
  order: FollowedOrder,
  txHash: Hex,
  transaction: Extract<ChainTransaction, { state: 'mined' }>,
): Promise<void> {
  const { confirmations: requiredConfirmations } = ctx.config.payment
  const ownTransfer = transaction.transfers.find(
    (transfer) => isIncoming(transfer, ctx.config.payment) && transfer.payer === order.payer,
  )
  if (!ownTransfer) return orderStore.clearTransaction(ctx.db, order.id, txHash)
  const { confirmations } = transaction
  if (confirmations < requiredConfirmations) {
    const { blockNumber } = ownTransfer
    const txUpdate = { txHash, txState: 'confirming', at: ctx.clock.now(), blockNumber, confirmations } as const
    return orderStore.recordTransaction(ctx.db, order.id, txUpdate, txHash)
  }
  await creditLoadedTransaction(ctx, transaction)
  const orderAfterCredit = await orderStore.findOrder(ctx.db, order.id)
  // The transaction was credited, but not to this order.
  if (orderAfterCredit?.order.txState) await orderStore.clearTransaction(ctx.db, order.id, txHash)
}

/**
 * Returns the orders whose transaction was replaced. The sender's nonce is read at the height up to
 * which Transfer logs have been credited, so a replacement cannot have paid unnoticed. If the nonce
 * cannot be read, the transaction does not count as replaced: nodes keep the state of about 128
 * blocks.
 */
async function listReplaced(ctx: Context, claimedOrders: readonly FollowedOrder[]): Promise<Set<string>> {
  const sentTransactions = claimedOrders.flatMap(({ id, txSender: address, txNonce: nonce }) =>
    address === null || nonce === null ? [] : [{ id, address, nonce }],
  )
  const cursor = sentTransactions.length === 0 ? null : await store.findWatcherCursor(ctx.db, ctx.config.payment)
  if (cursor === null) return new Set()
  const blockNumber = BigInt(cursor.blockNumber)
  const isNonceUsed = await callPaymentChain(ctx, () =>
    Promise.all(
      sentTransactions.map(
        async ({ address, nonce }) =>
          (await ctx.paymentChain.getTransactionCount({ address, blockNumber }).catch(() => 0)) > nonce,
      ),
    ),
  )
  return new Set(sentTransactions.filter((_order, index) => isNonceUsed[index]).map(({ id }) => id))
}

/** Marks orders whose incoming transfers lack confirmations, so that buyers see them. */
export async function recordUnconfirmed(ctx: Context, logs: readonly TransferLog[], head: number): Promise<void> {
  const { chainId, treasury } = ctx.config.payment
  const payers = [...new Set(logs.map(({ payer }) => payer))]
  const now = ctx.clock.now()
  const unpaidOrders = await orderStore.listUnpaidWatchedOrders(ctx.db, chainId, payers, now)
  const blockTimes = new Map<number, Promise<Date>>()
  for (const payer of unpaidOrders.length === 0 ? [] : payers) {
    const orders = unpaidOrders
      .filter(({ order }) => order.payer === payer && isAddressEqual(order.treasury, treasury))
      .map(({ order, partialPaymentsWei }) => ({
        ...order,
        parts: partialPaymentsWei > 0n ? [{ amountWei: partialPaymentsWei }] : [],
      }))
    const payerLogs = orders.length === 0 ? [] : logs.filter((log) => log.payer === payer)
    const datedLogs = await Promise.all(
      payerLogs.map(async (log) => {
        const blockAt = await (blockTimes.get(log.blockNumber) ?? readBlockTime(ctx, log.blockNumber, blockTimes))
        return { ...log, blockAt }
      }),
    )
    for (const allocation of allocateTransfers(datedLogs, orders, createOrderTerms(ctx))) {
      const lastTransfer = allocation.transfers.at(-1)
      if (!lastTransfer || allocation.kind === 'none') continue
      const { txHash, blockNumber } = lastTransfer
      const confirmations = head - blockNumber + 1
      const txUpdate = { txHash, txState: 'confirming', at: now, blockNumber, confirmations } as const
      await orderStore.recordTransaction(ctx.db, allocation.order.id, txUpdate)
    }
  }
}

function readBlockTime(ctx: Context, blockNumber: number, times: Map<number, Promise<Date>>): Promise<Date> {
  const time = callPaymentChain(ctx, async () => {
    const block = await findBlock(ctx, { blockNumber: BigInt(blockNumber) })
    return block?.at ?? ctx.clock.now()
  })
  times.set(blockNumber, time)
  return time
}
