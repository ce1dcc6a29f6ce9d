import type { Hex } from '@tocsin/proof'
import { getChain, type Reconciliation, reconciliation } from '@tocsin/protocol'
import { isAddressEqual } from 'viem'
import { transferAbi } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import { findSetting, saveSetting } from '../../db/setting.ts'
import { compareLedger } from './compare-ledger.ts'
import * as ledger from './ledger-store.ts'
import * as store from './store.ts'
import { askPaymentChain } from './transaction.ts'

const SETTING = 'payments.reconciliation'
/** What public nodes allow for one eth_getLogs. */
const CHUNK_BLOCKS = 1_000
/** A check that nobody has brought on for this long was cut off. */
const ABANDONED_MS = 60_000
const SHOWN_DIFFERENCES = 100

/** As of the last check. */
export async function findReconciliation(ctx: Context): Promise<Reconciliation> {
  const saved = await findSetting(ctx.db, SETTING)
  if (!saved) return blank(ctx)
  const last = reconciliation.parse(saved.value)
  const isCutOff = ctx.clock.now().getTime() - saved.updatedAt.getTime() > ABANDONED_MS
  if (last.state !== 'running' || !isCutOff) return last
  return { ...last, state: 'failed', failure: 'The server that was checking has stopped. Start it again.' }
}

function blank(ctx: Context): Reconciliation {
  const { chainId } = ctx.config.payment
  const none = { count: 0, sumWei: '0' }
  return {
    state: 'never',
    chainId,
    chainName: getChain(chainId).name,
    fromBlock: null,
    toBlock: null,
    progress: 0,
    checkedAt: null,
    failure: null,
    ledger: none,
    chain: none,
    differences: [],
    differenceCount: 0,
  }
}

/** Notes that a check runs. @returns the check itself, which never throws: it keeps what went wrong */
export async function startReconciliation(ctx: Context): Promise<() => Promise<void>> {
  const running: Reconciliation = { ...blank(ctx), state: 'running' }
  await save(ctx, running)
  return async () => {
    try {
      await save(ctx, await reconcile(ctx, (change) => save(ctx, { ...running, ...change })))
    } catch (error) {
      ctx.logger.warn({ err: error }, 'checking the ledger against the chain failed')
      const failure = error instanceof Error ? error.message : 'It failed'
      await save(ctx, { ...running, state: 'failed', failure }).catch(() => {})
    }
  }
}

async function save(ctx: Context, value: Reconciliation): Promise<void> {
  await saveSetting(ctx.db, SETTING, value, ctx.clock.now())
}

/** Everything from the first block on record, or from the oldest that could still pay, to the last one that the watcher has read. */
async function reconcile(
  ctx: Context,
  tell: (change: Partial<Reconciliation>) => Promise<void>,
): Promise<Reconciliation> {
  const terms = ctx.config.payment
  const cursor = await store.findCursor(ctx.db, terms)
  if (!cursor) throw new Error('The payment chain was not read yet')
  const began = await store.findWatchedFrom(ctx.db, terms)
  const first = await ledger.findFirstBlock(ctx.db, terms.chainId)
  const blocks = { from: Math.min(began ?? cursor.blockNumber, first ?? cursor.blockNumber), to: cursor.blockNumber }
  const onChain: ledger.LedgerEntry[] = []
  for (let from = blocks.from; from <= blocks.to; from += CHUNK_BLOCKS) {
    onChain.push(...(await readTransfers(ctx, from, Math.min(from + CHUNK_BLOCKS - 1, blocks.to))))
    const progress = (from - blocks.from) / (blocks.to - blocks.from + 1)
    await tell({ fromBlock: blocks.from, toBlock: blocks.to, progress })
  }
  const onRecord = await ledger.listLedger(ctx.db, terms.chainId, terms.token, blocks)
  const differences = compareLedger(onRecord, onChain)
  return {
    ...blank(ctx),
    state: 'done',
    fromBlock: blocks.from,
    toBlock: blocks.to,
    progress: 1,
    checkedAt: ctx.clock.now().toISOString(),
    ledger: sumOf(onRecord),
    chain: sumOf(onChain),
    differences: differences.slice(0, SHOWN_DIFFERENCES),
    differenceCount: differences.length,
  }
}

function sumOf(entries: readonly ledger.LedgerEntry[]) {
  return { count: entries.length, sumWei: entries.reduce((sum, { amountWei }) => sum + amountWei, 0n).toString() }
}

/** What the chain shows of the treasury, each with its position in the block: that of its transaction is not in the log. */
async function readTransfers(ctx: Context, from: number, to: number): Promise<ledger.LedgerEntry[]> {
  const { token, treasury } = ctx.config.payment
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
  return logs
    .filter(({ args }) => args.value > 0n && !isAddressEqual(args.from, treasury))
    .map(({ transactionHash, logIndex, args }): { txHash: Hex; logIndex: number; amountWei: bigint } => ({
      txHash: transactionHash,
      logIndex,
      amountWei: args.value,
    }))
}
