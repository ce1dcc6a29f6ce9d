import { createHash } from 'node:crypto'
import type { Hex } from '@tocsin/proof'
import { isAddressEqual } from 'viem'
import { findContext, withPayment } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { getSite } from '../../http/network.ts'
import { Refusal } from '../../refusal.ts'
import { creditLoadedTransaction } from './credit-payment.ts'
import { getOwnOrder, isUnderWay } from './order-service.ts'
import * as orderStore from './order-store.ts'
import { filterIncoming } from './payment.ts'
import * as store from './store.ts'
import { type ChainTransaction, readTransaction, withChainDeadline } from './transaction.ts'

/** How long a report waits for the chain. */
const READ_TIMEOUT_MS = 4_000

/**
 * Maximum number of transactions that can be reported for one order before they are in a block. The
 * count is never reset.
 */
const MAX_PER_ORDER = 10
/** Maximum number of reported transactions of one account that are not in a block yet. */
const MAX_PER_ACCOUNT = 5
/**
 * Maximum number of reported transactions of one network that are not in a block yet. For IPv6, the
 * network is the site (/48).
 */
const MAX_PER_NETWORK = 30

interface Report {
  accountId: string
  orderId: string
  txHash: Hex
  /** The reporter's network, used for rate limits. */
  network: string
}

/**
 * Accepts a transaction hash as a hint for an order's payment. The chain decides what the
 * transaction pays. An unknown transaction is kept as a hint, unless the order is cancelled or
 * expired: a payment that lands anyway is found without the hint.
 * @returns true if the chain could not be read
 * @throws Refusal not_found, unavailable, too_many_requests; and for a transaction that cannot pay
 *   the order payment_wrong_token, payment_wrong_recipient, payment_wrong_sender, payment_used,
 *   payment_reverted
 */
export async function reportTransaction(ctx: Context, report: Report): Promise<boolean> {
  const { order } = await getOwnOrder(ctx, report.accountId, report.orderId)
  if (order.paidAt !== null) return false
  const chainOfOrder = findContext(ctx, order.chainId)
  if (!chainOfOrder)
    throw new Refusal('unavailable', 'No node is configured for the chain of this purchase: it can’t be checked.')
  // Use treasury and token of the order: the settings may have been changed since the order was
  // made.
  const chainContext = withPayment(chainOfOrder, { token: order.token, treasury: order.treasury })
  ctx.failpoint('order: hash received')
  const transaction = await withChainDeadline(readTransaction(chainContext, report.txHash), READ_TIMEOUT_MS)
  ctx.failpoint('payment: after receipt')
  await applyReport(chainContext, order, report, transaction ?? { state: 'unknown' })
  return transaction === null
}

async function applyReport(
  ctx: Context,
  order: orderStore.OrderColumns,
  report: Report,
  transaction: ChainTransaction,
): Promise<void> {
  const { txHash } = report
  const at = ctx.clock.now()
  if (transaction.state === 'unknown' || transaction.state === 'pending') {
    if (order.cancelledAt !== null || order.expiresAt <= at) return
    // A pending transaction does not replace a transaction that is in a block.
    if (order.txState === 'confirming' && order.txHash !== txHash) return
    const isKnown = order.txHash === txHash && order.txState !== null && order.txState !== 'dropped'
    const sender = transaction.state === 'pending' ? (transaction.sender ?? undefined) : undefined
    if (!isKnown) await saveHint(ctx, order, report, { txHash, txState: 'seen', at, sender })
    return
  }
  if (transaction.state === 'reverted') {
    if (!isAddressEqual(transaction.sender, order.payer)) {
      throw new Refusal('payment_reverted', 'This transaction failed on the chain. No ITO was transferred.')
    }
    const { blockNumber } = transaction
    return saveFailure(ctx, order.id, { txHash, txState: 'failed', at, blockNumber })
  }
  await creditMined(ctx, order, txHash, transaction)
}

/**
 * Records a failed transaction, unless another transaction may still pay the order. The buyer would
 * otherwise be asked to pay again while a payment is pending.
 */
async function saveFailure(ctx: Context, orderId: string, txUpdate: orderStore.TxUpdate): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const lockedOrder = await orderStore.lockOrder(tx, orderId)
    if (!lockedOrder || (lockedOrder.txHash !== txUpdate.txHash && isUnderWay(lockedOrder))) return
    await orderStore.recordTransaction(tx, orderId, txUpdate)
  })
}

/** @throws Refusal too_many_requests */
async function saveHint(
  ctx: Context,
  order: orderStore.OrderColumns,
  { accountId, network }: Report,
  txUpdate: orderStore.TxUpdate,
): Promise<void> {
  const hintNetwork = createHash('sha256')
    .update(getSite(network) ?? network)
    .digest('hex')
  await ctx.db.transaction(async (tx) => {
    // The order is read again under the lock: reports of one order may be concurrent.
    const lockedOrder = await orderStore.lockOrder(tx, order.id)
    if (!lockedOrder || lockedOrder.paidAt !== null || lockedOrder.txState === 'confirming') return
    const { ofAccount, ofNetwork } = await orderStore.countReportedTransactions(tx, { accountId, network: hintNetwork })
    // The new report replaces the transaction that was last reported for this order, so that one
    // does not count towards the limits per account and per network.
    const ownHintCount = lockedOrder.txState === 'seen' ? 1 : 0
    if (
      lockedOrder.hintCount >= MAX_PER_ORDER ||
      ofAccount - ownHintCount >= MAX_PER_ACCOUNT ||
      ofNetwork - ownHintCount >= MAX_PER_NETWORK
    ) {
      throw new Refusal(
        'too_many_requests',
        'Too many transactions were reported that the chain does not show yet. Your payment is found without a report once it is in a block.',
      )
    }
    await orderStore.recordTransaction(tx, order.id, { ...txUpdate, hintNetwork })
  })
}

async function creditMined(
  ctx: Context,
  order: orderStore.OrderColumns,
  txHash: Hex,
  transaction: Extract<ChainTransaction, { state: 'mined' }>,
): Promise<void> {
  const terms = ctx.config.payment
  const ownTransfers = filterIncoming(transaction.transfers, terms).filter(({ payer }) => payer === order.payer)
  const [first] = ownTransfers
  if (!first) {
    throw new Refusal(
      'payment_wrong_sender',
      `This payment did not come from ${order.payer}, the wallet of this purchase. It belongs to the account that has verified the paying wallet.`,
    )
  }
  const usedLogIndexes = await store.listUsedLogIndexes(ctx.db, terms.chainId, txHash)
  if (ownTransfers.every(({ logIndex }) => usedLogIndexes.has(logIndex))) {
    if (await orderStore.isPaidBy(ctx.db, order.id, terms.chainId, txHash)) return
    throw new Refusal('payment_used', 'This payment has already been used.')
  }
  const { confirmations } = transaction
  const { blockNumber } = first
  // Recorded before crediting, so that the transfer goes to this order if several match.
  await orderStore.recordTransaction(ctx.db, order.id, {
    txHash,
    txState: 'confirming',
    at: ctx.clock.now(),
    blockNumber,
    confirmations,
  })
  await creditLoadedTransaction(ctx, transaction)
}
