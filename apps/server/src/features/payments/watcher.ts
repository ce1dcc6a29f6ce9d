import type { Address, Hex } from '@tocsin/proof'
import { HOUR_MS, SECOND_MS } from '@tocsin/protocol/durations'
import { withPayment } from '../../chain/payment-chains.ts'
import { listTransferLogs, type TransferLog } from '../../chain/transfer-logs.ts'
import type { Context } from '../../context.ts'
import { pause, pauseUntilDue, selectDueIf } from '../../db/leader.ts'
import { Refusal } from '../../refusal.ts'
import { collectApproved } from './collect.ts'
import {
  creditTransaction,
  creditTransactions,
  isOutage,
  logUncredited,
  type PaymentEffects,
  paymentEffects,
} from './credit-payment.ts'
import { followReportedTransactions, recordUnconfirmed } from './follow-order.ts'
import { isFollowed } from './order-store.ts'
import { toRecordedTerms } from './payment.ts'
import { findWaiting, payableSince, recheckPayments } from './reorganisation.ts'
import * as store from './store.ts'
import { callPaymentChain, findFirstBlock } from './transaction.ts'

const POLL_MS = 2_000
const MAX_WAIT_MS = 30_000
/**
 * Maximum age of the stored position before it is saved again. A recent position shows that the
 * watcher works.
 */
const POSITION_MS = 10 * SECOND_MS
/**
 * Number of blocks that every round reads again, to find logs that a reorganisation or a lagging
 * node added.
 */
const OVERLAP_BLOCKS = 64
/** Block range of one eth_getLogs request. Public nodes of the payment chains accept it. */
const CHUNK_BLOCKS = 1_000
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
    repeat(
      ctx,
      signal,
      () => checkPayments(ctx, effects, signal),
      () => pause(POLL_MS, signal),
    ),
    repeat(
      ctx,
      signal,
      () => followReportedTransactions(ctx),
      () => pauseUntilDue(ctx.notifications, () => selectDueIf(isFollowed(ctx.config.payment.chainId)), signal),
    ),
  ])
}

async function repeat(
  ctx: Context,
  signal: AbortSignal,
  round: () => Promise<void>,
  rest: () => Promise<void>,
): Promise<void> {
  let waitMs = POLL_MS
  while (!signal.aborted) {
    try {
      await round()
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
    await rest()
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
  // A payment that cannot be rechecked, or whose account is locked, must not block new ones.
  const waiting = await findWaiting(ctx, head)
  const [rechecked] = await Promise.allSettled([recheckPayments(ctx, effects, waiting)])
  const uncredited = await scanTransfers(ctx, effects, lastConfirmedBlock, waiting.position, signal)
  const arriving = lastConfirmedBlock < head ? await readLogs(ctx, Math.max(0, lastConfirmedBlock + 1), head) : []
  await recordUnconfirmed(ctx, arriving, head)
  if (waiting.isNewlyOwned) uncredited.push(...(await creditNewlyOwned(ctx, effects)))
  const paying = [...arriving.map(({ payer }) => payer), ...uncredited.flatMap(({ payers }) => payers)]
  await collectApproved(ctx, head, new Set(paying))
  if (rechecked.status === 'rejected') throw rechecked.reason
  const [failure] = uncredited
  if (failure) throw failure.error
}

/** The error of a transaction that could not be credited, and the wallets that paid in it. */
interface Uncredited {
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
  effects: PaymentEffects,
  last: number,
  position: store.Cursor | null,
  signal: AbortSignal,
): Promise<Uncredited[]> {
  const terms = ctx.config.payment
  const cursor = position?.blockNumber ?? (await beginWatching(ctx, last))
  let from = Math.max(0, Math.min(cursor, last) - OVERLAP_BLOCKS)
  const uncredited: Uncredited[] = []
  while (from <= last && !signal.aborted) {
    const to = Math.min(from + CHUNK_BLOCKS - 1, last)
    const unrecorded = await listUnrecorded(ctx, from, to)
    const hashes = [...unrecorded.keys()]
    for (let start = 0; start < hashes.length; start += TRANSACTIONS_PER_BATCH) {
      if (signal.aborted) return uncredited
      const failures = await creditTransactions(ctx, effects, hashes.slice(start, start + TRANSACTIONS_PER_BATCH))
      for (const { txHash, error } of failures) uncredited.push({ error, payers: unrecorded.get(txHash) ?? [] })
    }
    const now = ctx.clock.now()
    const isSaved = position?.blockNumber === to && now.getTime() - position.readAt.getTime() < POSITION_MS
    if (uncredited.length === 0 && !isSaved) await store.saveCursor(ctx.db, terms, to, now)
    from = to + 1
  }
  return uncredited
}

async function beginWatching(ctx: Context, last: number): Promise<number> {
  const oldestMs = ctx.clock.now().getTime() - ctx.config.payment.maxAgeHours * HOUR_MS
  const first = await findFirstBlock(ctx, oldestMs, last)
  // The first round also reads the blocks of the overlap.
  await store.saveWatchedFrom(ctx.db, ctx.config.payment, Math.max(0, first - OVERLAP_BLOCKS), ctx.clock.now())
  return first
}

/**
 * Returns transactions with transfers to the treasury in these blocks that are not fully recorded.
 * @returns the payer of each transfer by transaction
 */
async function listUnrecorded(ctx: Context, from: number, to: number): Promise<Map<Hex, Address[]>> {
  const payers = new Map<Hex, Address[]>()
  for (const { txHash, payer } of await readLogs(ctx, from, to)) {
    const known = payers.get(txHash)
    if (known) known.push(payer)
    else payers.set(txHash, [payer])
  }
  const recorded = await store.countRecordedTransfers(ctx.db, ctx.config.payment.chainId, [...payers.keys()])
  return new Map([...payers].filter(([txHash, { length }]) => (recorded.get(txHash) ?? 0) < length))
}

function readLogs(ctx: Context, from: number, to: number): Promise<TransferLog[]> {
  return callPaymentChain(ctx, () => listTransferLogs(ctx.paymentChain, ctx.config.payment, { from, to }))
}

/**
 * Credits transfers from wallets that were proved after the payment. Reads the chain again, because
 * the transaction may have been reverted since.
 */
async function creditNewlyOwned(ctx: Context, effects: PaymentEffects): Promise<Uncredited[]> {
  const uncredited: Uncredited[] = []
  const terms = ctx.config.payment
  for (const { txHash, payer, ...received } of await store.listTransactionsWithNewOwner(
    ctx.db,
    terms.chainId,
    payableSince(ctx),
  )) {
    try {
      await creditTransaction(withPayment(ctx, toRecordedTerms(terms, received)), effects, txHash)
    } catch (error) {
      if (isOutage(error)) throw error
      logUncredited(ctx, { txHash, error })
      uncredited.push({ error, payers: [payer] })
    }
  }
  return uncredited
}
