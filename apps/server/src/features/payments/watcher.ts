import type { Hex } from '@tocsin/proof'
import { listTransferLogs, type TransferLog } from '../../chain/transfer-logs.ts'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { collectApproved } from './collect.ts'
import { creditTransaction, creditTransactions, type PaymentEffects } from './credit-payment.ts'
import { followHints, noteUnconfirmed } from './follow-order.ts'
import { recheckPayments } from './reorganisation.ts'
import * as store from './store.ts'
import { askPaymentChain, findBlock } from './transaction.ts'

const POLL_MS = 2_000
const MAX_WAIT_MS = 30_000
/** Blocks that are read again each time: what a reorganisation or a node that lags has put there later is found. */
const OVERLAP_BLOCKS = 64
/** What public nodes allow for one eth_getLogs. */
const CHUNK_BLOCKS = 1_000
/** Transactions that are in memory at once, however many a chunk has. */
const SETTLED_TOGETHER = 250
const HOUR_MS = 3_600_000

/**
 * Credits payments that nobody reports, keeps those that match no plan for the admin, and takes back what a reorganisation removed. Runs until
 * `signal` aborts; one instance at a time. A chain that can't be read is waited for. Reported transactions are read in a loop of their own: however
 * many there are and however slowly they are answered, the scan never waits for them.
 */
export async function watchPayments(ctx: Context, signal: AbortSignal, effects: PaymentEffects): Promise<void> {
  await Promise.all([
    repeat(ctx, signal, () => checkPayments(ctx, effects, signal)),
    repeat(ctx, signal, () => followHints(ctx, effects)),
  ])
}

async function repeat(ctx: Context, signal: AbortSignal, round: () => Promise<void>): Promise<void> {
  let waitMs = POLL_MS
  while (!signal.aborted) {
    try {
      await round()
      waitMs = POLL_MS
    } catch (error) {
      ctx.logger.warn({ err: error }, 'watching payments failed, trying again')
      waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)
    }
    await pause(waitMs, signal)
  }
}

/** One round of the watcher, up to the newest block that has enough confirmations. */
export async function checkPayments(
  ctx: Context,
  effects: PaymentEffects,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const head = await askPaymentChain(ctx, async () => Number(await ctx.paymentChain.getBlockNumber()))
  const confirmed = head - Math.max(1, ctx.config.payment.confirmations) + 1
  // One payment that can't be checked again, or whose account is locked, must not hold up those that were never counted.
  const [rechecked] = await Promise.allSettled([recheckPayments(ctx, effects, head)])
  await scanTransfers(ctx, effects, confirmed, signal)
  const arriving = confirmed < head ? await readLogs(ctx, Math.max(0, confirmed + 1), head) : []
  await noteUnconfirmed(ctx, arriving, head)
  await creditNewlyOwned(ctx, effects)
  await collectApproved(ctx, effects, head, new Set(arriving.map(({ payer }) => payer)))
  if (rechecked.status === 'rejected') throw rechecked.reason
}

async function scanTransfers(ctx: Context, effects: PaymentEffects, last: number, signal: AbortSignal): Promise<void> {
  const terms = ctx.config.payment
  const cursor = (await store.findCursor(ctx.db, terms))?.blockNumber ?? (await beginWatching(ctx, last))
  let from = Math.max(0, Math.min(cursor, last) - OVERLAP_BLOCKS)
  while (from <= last && !signal.aborted) {
    const to = Math.min(from + CHUNK_BLOCKS - 1, last)
    const unrecorded = await listUnrecorded(ctx, from, to)
    for (let at = 0; at < unrecorded.length; at += SETTLED_TOGETHER) {
      if (signal.aborted) return
      const isComplete = await creditTransactions(ctx, effects, unrecorded.slice(at, at + SETTLED_TOGETHER))
      // Its logs are there, its receipt is not: a node that lags, or a reorganisation right now. The next round begins here again.
      if (!isComplete) throw new Error(`The payment chain does not agree with its own logs of blocks ${from} to ${to}`)
    }
    await store.saveCursor(ctx.db, terms, to, ctx.clock.now())
    from = to + 1
  }
}

async function beginWatching(ctx: Context, last: number): Promise<number> {
  const first = await findFirstBlock(ctx, last)
  // As far back as the first round reads.
  await store.saveWatchedFrom(ctx.db, ctx.config.payment, Math.max(0, first - OVERLAP_BLOCKS), ctx.clock.now())
  return first
}

/** Transactions that paid the treasury in these blocks and are not wholly on record. */
async function listUnrecorded(ctx: Context, from: number, to: number): Promise<Hex[]> {
  const transfers = new Map<Hex, number>()
  for (const { txHash } of await readLogs(ctx, from, to)) transfers.set(txHash, (transfers.get(txHash) ?? 0) + 1)
  const recorded = await store.countRecordedTransfers(ctx.db, ctx.config.payment.chainId, [...transfers.keys()])
  return [...transfers].filter(([txHash, count]) => (recorded.get(txHash) ?? 0) < count).map(([txHash]) => txHash)
}

function readLogs(ctx: Context, from: number, to: number): Promise<TransferLog[]> {
  return askPaymentChain(ctx, () => listTransferLogs(ctx.paymentChain, ctx.config.payment, { from, to }))
}

/** A wallet may be proved after it has paid. The chain is read again: it may have lost the transaction since it was put on record. */
async function creditNewlyOwned(ctx: Context, effects: PaymentEffects): Promise<void> {
  const { chainId, maxAgeHours } = ctx.config.payment
  const notBefore = new Date(ctx.clock.now().getTime() - maxAgeHours * HOUR_MS)
  for (const txHash of await store.listNewlyOwned(ctx.db, chainId, notBefore))
    await creditTransaction(ctx, effects, txHash)
}

/** Where to begin when nothing was ever read: the first block that is young enough to pay, by binary search. */
async function findFirstBlock(ctx: Context, last: number): Promise<number> {
  const oldestMs = ctx.clock.now().getTime() - ctx.config.payment.maxAgeHours * HOUR_MS
  let low = 0
  let high = last
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const block = await askPaymentChain(ctx, () => findBlock(ctx, { blockNumber: BigInt(middle) }))
    if (block && block.at.getTime() < oldestMs) low = middle + 1
    else high = middle
  }
  return low
}
