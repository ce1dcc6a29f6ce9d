import type { Hex } from '@tocsin/proof'
import type { Plan } from '@tocsin/protocol'
import { isAddressEqual } from 'viem'
import { type Transfer, transferAbi } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { isIncoming, matchTransfer } from './payment.ts'
import { type PaymentEffects, recheckPayments } from './reorganisation.ts'
import * as store from './store.ts'
import { askPaymentChain, findBlock, readTransaction } from './transaction.ts'

export interface WatcherEffects extends PaymentEffects {
  /** Gives the account what the transfer pays for; does nothing when the transfer was counted before. */
  creditTransfer(
    ctx: Context,
    credit: { accountId: string; plan: Plan; transfer: Omit<Transfer, 'recipient'> },
  ): Promise<unknown>
}

const POLL_MS = 2_000
const MAX_WAIT_MS = 30_000
/** Blocks that are read again each time: what a reorganisation or a node that lags has put there later is found. */
const OVERLAP_BLOCKS = 64
/** What public nodes allow for one eth_getLogs. */
const CHUNK_BLOCKS = 1_000
const HOUR_MS = 3_600_000

/**
 * Credits payments that nobody reports, keeps those that match no plan for the admin, and takes back what a reorganisation removed. Runs
 * until `signal` aborts; one instance at a time. A chain that can't be read is waited for.
 */
export async function watchPayments(ctx: Context, signal: AbortSignal, effects: WatcherEffects): Promise<void> {
  let waitMs = POLL_MS
  while (!signal.aborted) {
    try {
      await checkPayments(ctx, effects, signal)
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
  effects: WatcherEffects,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const head = await askPaymentChain(ctx, async () => Number(await ctx.paymentChain.getBlockNumber()))
  await recheckPayments(ctx, effects, head)
  await scanTransfers(ctx, effects, head - Math.max(1, ctx.config.payment.confirmations) + 1, signal)
  await creditNewlyOwned(ctx, effects)
}

async function scanTransfers(ctx: Context, effects: WatcherEffects, last: number, signal: AbortSignal): Promise<void> {
  const terms = ctx.config.payment
  const cursor = (await store.findCursor(ctx.db, terms))?.blockNumber ?? (await beginWatching(ctx, last))
  let from = Math.max(0, Math.min(cursor, last) - OVERLAP_BLOCKS)
  while (from <= last && !signal.aborted) {
    const to = Math.min(from + CHUNK_BLOCKS - 1, last)
    for (const txHash of await listUnrecorded(ctx, from, to)) await takeIn(ctx, effects, txHash)
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
  const { chainId, token, treasury } = ctx.config.payment
  const logs = await askPaymentChain(ctx, () =>
    ctx.paymentChain.getContractEvents({
      address: token,
      abi: transferAbi,
      eventName: 'Transfer',
      args: { to: treasury },
      fromBlock: BigInt(from),
      toBlock: BigInt(to),
      strict: true,
    }),
  )
  const transfers = new Map<Hex, number>()
  for (const log of logs) {
    if (log.args.value === 0n || isAddressEqual(log.args.from, treasury)) continue
    transfers.set(log.transactionHash, (transfers.get(log.transactionHash) ?? 0) + 1)
  }
  const recorded = await store.countRecorded(ctx.db, chainId, [...transfers.keys()])
  return [...transfers].filter(([txHash, count]) => (recorded.get(txHash) ?? 0) < count).map(([txHash]) => txHash)
}

async function takeIn(ctx: Context, effects: WatcherEffects, txHash: Hex): Promise<void> {
  const terms = ctx.config.payment
  const transaction = await readTransaction(ctx, txHash)
  if (transaction.state !== 'mined' || transaction.confirmations < terms.confirmations) return
  const used = await store.listUsedLogs(ctx.db, terms.chainId, txHash)
  for (const transfer of transaction.transfers) {
    if (!isIncoming(transfer, terms) || used.has(transfer.logIndex)) continue
    const now = ctx.clock.now()
    const ownerId = await store.findWalletOwner(ctx.db, transfer.payer)
    const match = matchTransfer(transfer, ownerId, now, terms)
    if (typeof match === 'string') await store.insertUnmatched(ctx.db, transfer, match, now)
    else await effects.creditTransfer(ctx, { ...match, transfer })
  }
}

/** A wallet may be proved after it has paid. The chain is read again: it may have lost the transaction since it was put on record. */
async function creditNewlyOwned(ctx: Context, effects: WatcherEffects): Promise<void> {
  const { chainId, maxAgeHours } = ctx.config.payment
  const notBefore = new Date(ctx.clock.now().getTime() - maxAgeHours * HOUR_MS)
  for (const txHash of await store.listNewlyOwned(ctx.db, chainId, notBefore)) await takeIn(ctx, effects, txHash)
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
