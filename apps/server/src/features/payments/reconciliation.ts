import { getChain, type Reconciliation, reconciliation } from '@tocsin/protocol'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { findSetting, lockSetting, saveSetting } from '../../db/setting.ts'
import { compareLedger } from './compare-ledger.ts'
import * as ledger from './ledger-store.ts'
import * as store from './store.ts'
import { CHUNK_BLOCKS, readTransferLogs } from './transaction.ts'

const SETTING = 'payments.reconciliation'
/** A running check that makes no progress for this long counts as interrupted. */
const ABANDONED_MS = 60_000
/** Maximum number of differences in the result. */
const MAX_SHOWN_DIFFERENCES = 100

/** The result of the last check, or the progress of a running one. */
export async function findReconciliation(ctx: Context, tx: Queryable = ctx.db): Promise<Reconciliation> {
  const savedSetting = await findSetting(tx, SETTING)
  if (!savedSetting) return createEmptyResult(ctx)
  const lastResult = reconciliation.parse(savedSetting.value)
  const isInterrupted = ctx.clock.now().getTime() - savedSetting.updatedAt.getTime() > ABANDONED_MS
  if (lastResult.state !== 'running' || !isInterrupted) return lastResult
  return {
    ...lastResult,
    state: 'failed',
    failure: 'The check was interrupted because its server stopped. Start it again.',
  }
}

function createEmptyResult(ctx: Context): Reconciliation {
  const { chainId } = ctx.config.payment
  const emptySum = { count: 0, sumWei: '0' }
  return {
    state: 'never',
    chainId,
    chainName: getChain(chainId).name,
    fromBlock: null,
    toBlock: null,
    progress: 0,
    checkedAt: null,
    failure: null,
    ledger: emptySum,
    chain: emptySum,
    differences: [],
    differenceCount: 0,
  }
}

/**
 * Records that a check is running.
 * @returns a function that runs the check, or null if another check is running. The function never
 *   throws and stores failures in the result.
 */
export async function startReconciliation(ctx: Context, by: AuditActor): Promise<(() => Promise<void>) | null> {
  const runningResult: Reconciliation = { ...createEmptyResult(ctx), state: 'running' }
  const isStarted = await ctx.db.transaction(async (tx) => {
    await lockSetting(tx, SETTING)
    if ((await findReconciliation(ctx, tx)).state === 'running') return false
    await save(ctx, runningResult, tx)
    await recordAudit(tx, { ...by, action: 'reconciliation_started', subject: null, at: ctx.clock.now() })
    return true
  })
  if (!isStarted) return null
  return async () => {
    try {
      await save(ctx, await reconcile(ctx, (change) => save(ctx, { ...runningResult, ...change })))
    } catch (error) {
      ctx.logger.warn({ err: error }, 'checking the ledger against the chain failed')
      const failure = error instanceof Error ? error.message : 'The check failed'
      await save(ctx, { ...runningResult, state: 'failed', failure }).catch(() => {})
    }
  }
}

async function save(ctx: Context, value: Reconciliation, tx: Queryable = ctx.db): Promise<void> {
  await saveSetting(tx, SETTING, value, ctx.clock.now())
}

/**
 * Compares ledger and chain from the first recorded or first watched block up to the watcher's
 * cursor.
 */
async function reconcile(
  ctx: Context,
  report: (change: Partial<Reconciliation>) => Promise<void>,
): Promise<Reconciliation> {
  const terms = ctx.config.payment
  const cursor = await store.findWatcherCursor(ctx.db, terms)
  if (!cursor) throw new Error('The payment chain has not been read yet')
  const watchedFromBlock = await store.findFirstWatchedBlock(ctx.db, terms)
  const firstRecordedBlock = await ledger.findFirstBlock(ctx.db, terms)
  const blockRange = {
    from: Math.min(watchedFromBlock ?? cursor.blockNumber, firstRecordedBlock ?? cursor.blockNumber),
    to: cursor.blockNumber,
  }
  const chainEntries: ledger.LedgerEntry[] = []
  for (let from = blockRange.from; from <= blockRange.to; from += CHUNK_BLOCKS) {
    const to = Math.min(from + CHUNK_BLOCKS - 1, blockRange.to)
    chainEntries.push(...(await readTransferLogs(ctx, { from, to })))
    const progress = (to - blockRange.from + 1) / (blockRange.to - blockRange.from + 1)
    await report({ fromBlock: blockRange.from, toBlock: blockRange.to, progress })
  }
  const ledgerEntries = await ledger.listLedgerEntries(ctx.db, terms, blockRange)
  const differences = compareLedger(ledgerEntries, chainEntries)
  return {
    ...createEmptyResult(ctx),
    state: 'done',
    fromBlock: blockRange.from,
    toBlock: blockRange.to,
    progress: 1,
    checkedAt: ctx.clock.now().toISOString(),
    ledger: sumEntries(ledgerEntries),
    chain: sumEntries(chainEntries),
    differences: differences.slice(0, MAX_SHOWN_DIFFERENCES),
    differenceCount: differences.length,
  }
}

function sumEntries(entries: readonly ledger.LedgerEntry[]) {
  return { count: entries.length, sumWei: entries.reduce((sum, { amountWei }) => sum + amountWei, 0n).toString() }
}
