import type { Address, Hex } from '@tocsin/proof'
import { SECOND_MS } from '@tocsin/protocol/durations'
import { withPayment } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { pauseUntilDue, selectDueIf } from '../../db/leader.ts'
import { pause } from '../../pause.ts'
import { Refusal } from '../../refusal.ts'
import { collectApproved } from './collect.ts'
import {
  creditTransaction,
  creditTransactions,
  isOutage,
  logUncredited,
  paymentEffects,
  type SubscriptionOperations,
} from './credit-payment.ts'
import { followReportedTransactions, recordUnconfirmed } from './follow-order.ts'
import { selectFollowedOrder } from './order-store.ts'
import { toRecordedTerms } from './payment.ts'
import { computePayableSince, findWatcherState, recheckPayments } from './reorganisation.ts'
import * as store from './store.ts'
import { CHUNK_BLOCKS, callPaymentChain, findFirstBlock, readTransferLogs } from './transaction.ts'

const POLL_MS = 2_000
const MAX_WAIT_MS = 30_000
/**
 * Maximum age of the stored position before it is saved again. A recent position shows that the
 * watcher works.
 */
const SAVE_POSITION_MS = 10 * SECOND_MS
/**
 * Number of blocks that every round reads again, to find logs that a reorganisation or a lagging
 * node added.
 */
const OVERLAP_BLOCKS = 64
/** Maximum number of transactions in memory at the same time. */
const TRANSACTIONS_PER_BATCH = 250

/**
 * Credits unreported payments, records unmatched ones and reverts payments that a reorganisation
 * removed. Runs until `signal` aborts, on one instance at a time, and retries with backoff while
 * the chain cannot be read. Reported transactions are read in a separate loop, so that slow reads
 * never delay the scan.
 */
export async function watchPayments(ctx: Context, signal: AbortSignal, effects = paymentEffects): Promise<void> {
  await Promise.all([
    repeatRounds(
      ctx,
      signal,
      () => checkPayments(ctx, effects, signal),
      () => pause(POLL_MS, signal),
    ),
    repeatRounds(
      ctx,
      signal,
      () => followReportedTransactions(ctx),
      () =>
        pauseUntilDue(ctx.notifications, () => selectDueIf(selectFollowedOrder(ctx.config.payment.chainId)), signal),
    ),
  ])
}

async function repeatRounds(
  ctx: Context,
  signal: AbortSignal,
  runRound: () => Promise<void>,
  pauseAfterRound: () => Promise<void>,
): Promise<void> {
  let waitMs = POLL_MS
  while (!signal.aborted) {
    try {
      await runRound()
      waitMs = POLL_MS
    } catch (error) {
      // Log outages of the chain only at debug level, because `callPaymentChain` has already logged
      // them.
      const level = error instanceof Refusal && error.code === 'unavailable' ? 'debug' : 'warn'
      ctx.logger[level]({ err: error }, 'watching payments failed, trying again')
      waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)
      await pause(waitMs, signal)
      continue
    }
    await pauseAfterRound()
  }
}

/** Runs one round of the watcher, up to the newest confirmed block. */
export async function checkPayments(
  ctx: Context,
  effects = paymentEffects,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const head = await callPaymentChain(ctx, async () => Number(await ctx.paymentChain.getBlockNumber()))
  const lastConfirmedBlock = head - Math.max(1, ctx.config.payment.confirmations) + 1
  // An error of the recheck, for example because an account is locked, must not delay new payments.
  // It is thrown at the end of the round.
  const watcherState = await findWatcherState(ctx, head)
  const [recheckResult] = await Promise.allSettled([recheckPayments(ctx, effects, watcherState)])
  const uncreditedTransactions = await scanTransfers(ctx, effects, lastConfirmedBlock, watcherState.position, signal)
  const unconfirmedLogs =
    lastConfirmedBlock < head
      ? await readTransferLogs(ctx, { from: Math.max(0, lastConfirmedBlock + 1), to: head })
      : []
  await recordUnconfirmed(ctx, unconfirmedLogs, head)
  if (watcherState.hasNewlyOwnedTransfers) uncreditedTransactions.push(...(await creditNewlyOwned(ctx, effects)))
  const payingWallets = [
    ...unconfirmedLogs.map(({ payer }) => payer),
    ...uncreditedTransactions.flatMap(({ payers }) => payers),
  ]
  await collectApproved(ctx, head, new Set(payingWallets))
  if (recheckResult.status === 'rejected') throw recheckResult.reason
  const [failure] = uncreditedTransactions
  if (failure) throw failure.error
}

/** The error of a transaction that could not be credited, and the wallets that paid in it. */
interface UncreditedTransaction {
  error: unknown
  payers: readonly Address[]
}

/**
 * Credits the transfers of the confirmed blocks. A transaction that cannot be credited does not
 * delay the others. The stored position stays before that transaction, so that the next round tries
 * it again, and the position's age shows the failure.
 */
async function scanTransfers(
  ctx: Context,
  effects: SubscriptionOperations,
  lastBlock: number,
  position: store.Cursor | null,
  signal: AbortSignal,
): Promise<UncreditedTransaction[]> {
  const terms = ctx.config.payment
  let from = position
    ? Math.max(0, Math.min(position.blockNumber, lastBlock) - OVERLAP_BLOCKS)
    : await beginWatching(ctx, lastBlock)
  const uncreditedTransactions: UncreditedTransaction[] = []
  while (from <= lastBlock && !signal.aborted) {
    const to = Math.min(from + CHUNK_BLOCKS - 1, lastBlock)
    const payersByHash = await listUnrecorded(ctx, from, to)
    const hashes = [...payersByHash.keys()]
    for (let start = 0; start < hashes.length; start += TRANSACTIONS_PER_BATCH) {
      if (signal.aborted) return uncreditedTransactions
      const failures = await creditTransactions(ctx, effects, hashes.slice(start, start + TRANSACTIONS_PER_BATCH))
      for (const { txHash, error } of failures)
        uncreditedTransactions.push({ error, payers: payersByHash.get(txHash) ?? [] })
    }
    const now = ctx.clock.now()
    const isRecentlySaved = position?.blockNumber === to && now.getTime() - position.readAt.getTime() < SAVE_POSITION_MS
    if (uncreditedTransactions.length === 0 && !isRecentlySaved) await store.saveCursor(ctx.db, terms, to, now)
    from = to + 1
  }
  return uncreditedTransactions
}

/**
 * Returns the block at which the first round starts. Earlier blocks are too old to pay for
 * anything, or the node does not have them.
 */
async function beginWatching(ctx: Context, lastBlock: number): Promise<number> {
  const { firstBlock } = await findFirstBlock(ctx, computePayableSince(ctx).getTime(), lastBlock)
  await store.saveWatchedFrom(ctx.db, ctx.config.payment, firstBlock, ctx.clock.now())
  return firstBlock
}

/**
 * Finds the transactions in these blocks whose transfers to the treasury are not all recorded.
 * @returns the payer of each transfer by transaction
 */
async function listUnrecorded(ctx: Context, from: number, to: number): Promise<Map<Hex, Address[]>> {
  const payers = new Map<Hex, Address[]>()
  for (const { txHash, payer } of await readTransferLogs(ctx, { from, to })) {
    const knownPayers = payers.get(txHash)
    if (knownPayers) knownPayers.push(payer)
    else payers.set(txHash, [payer])
  }
  const recordedCounts = await store.countRecordedTransfers(ctx.db, ctx.config.payment.chainId, [...payers.keys()])
  return new Map([...payers].filter(([txHash, { length }]) => (recordedCounts.get(txHash) ?? 0) < length))
}

/**
 * Credits transfers from wallets that were proved after the payment. Reads the chain again, because
 * the transaction may have been reverted since.
 */
async function creditNewlyOwned(ctx: Context, effects: SubscriptionOperations): Promise<UncreditedTransaction[]> {
  const uncreditedTransactions: UncreditedTransaction[] = []
  const terms = ctx.config.payment
  for (const { txHash, payer, ...received } of await store.listTransactionsWithNewOwner(
    ctx.db,
    terms.chainId,
    computePayableSince(ctx),
  )) {
    try {
      await creditTransaction(withPayment(ctx, toRecordedTerms(terms, received)), effects, txHash)
    } catch (error) {
      if (isOutage(error)) throw error
      logUncredited(ctx, { txHash, error })
      uncreditedTransactions.push({ error, payers: [payer] })
    }
  }
  return uncreditedTransactions
}
