import { randomBytes } from 'node:crypto'
import { type AlertStatement, bytesToHex, encodeStatement, hashStatement } from '@tocsin/proof'
import type { Context } from '@tocsin/server/context.ts'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { appendEntries, type EntryPosition } from '@tocsin/server/features/tlog/append-entries.ts'
import { findHead } from '@tocsin/server/features/tlog/store.ts'
import { proveConsistency, proveInclusions } from '@tocsin/server/inclusion-proofs.ts'
import { computePercentile } from '../percentile.ts'

const BATCH_SIZE = 500
const THROUGHPUT_MS = 5_000
const SINGLE_APPEND_COUNT = 100
const PROOF_COUNT = 1_000

interface Times {
  medianMs: number
  p99Ms: number
}

export async function measureLog(ctx: Context): Promise<{
  entriesPerSecond: number
  alertsPerSecond: number
  singleAppendMs: number
  inclusion: Times
  consistency: Times
}> {
  const issue = createIssuer(ctx)
  const alert = { content, origin: 'admin', broadcast: true } as const
  const { size } = await findHead(ctx.db)
  const proofs = await measureProofs(ctx, size)
  const singleAppendTimes = await measureCalls(SINGLE_APPEND_COUNT, () => issue(alert))
  const appendBatch = () => ctx.db.transaction((tx) => appendEntries(ctx, tx, async () => createBatch(ctx)))
  const issueBatch = () => Promise.all(Array.from({ length: BATCH_SIZE }, () => issue(alert)))
  return {
    ...proofs,
    singleAppendMs: singleAppendTimes.medianMs,
    entriesPerSecond: await measureRate(appendBatch),
    alertsPerSecond: await measureRate(issueBatch),
  }
}

const content = {
  asset: 'BTC/USD',
  priority: 'high',
  anomalyType: 'Volume spike',
  regime: 'Trending',
  summary: 'Traded volume is 4.2 times its 30-day average while the spread stays narrow: a large buyer works an order.',
  confidence: 91.4,
} as const

/** Returns a batch of entries, each of which is encoded, hashed and signed individually. */
function createBatch(ctx: Context) {
  const { chainId, contract } = ctx.config.anchor
  return Array.from({ length: BATCH_SIZE }, () => ({ index, signer, decideTime }: EntryPosition) => {
    const statement: AlertStatement = {
      ...content,
      kind: 'alert',
      index,
      id: `0190b8f0-0000-7000-8000-${String(index).padStart(12, '0')}`,
      createdAt: decideTime().toISOString(),
      origin: 'admin',
      salt: bytesToHex(randomBytes(16)),
      signalHash: null,
      signer: signer.address,
      targetIndex: null,
      targetLeafHash: null,
    }
    const digest = hashStatement({ chainId, verifyingContract: contract }, statement)
    return { bytes: encodeStatement(statement), signature: signer.signDigest(digest) }
  })
}

/**
 * Returns the number of entries per second, measured over several seconds of consecutive batches.
 */
async function measureRate(runBatch: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  let appendedCount = 0
  while (performance.now() - startedAt < THROUGHPUT_MS) {
    await runBatch()
    appendedCount += BATCH_SIZE
  }
  return (appendedCount / (performance.now() - startedAt)) * 1000
}

/** Measures proofs of random entries, which are not cached. */
async function measureProofs(ctx: Context, size: number): Promise<{ inclusion: Times; consistency: Times }> {
  const pickIndexBelow = (end: number) => Math.floor(Math.random() * end)
  const inclusion = await measureCalls(PROOF_COUNT, () =>
    proveInclusions(ctx.db, [{ index: pickIndexBelow(size), size }]),
  )
  const consistency = await measureCalls(PROOF_COUNT, () => proveConsistency(ctx.db, 1 + pickIndexBelow(size), size))
  return { inclusion, consistency }
}

async function measureCalls(count: number, run: () => Promise<unknown>): Promise<Times> {
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now()
    await run()
    times.push(performance.now() - startedAt)
  }
  return { medianMs: computePercentile(times, 0.5), p99Ms: computePercentile(times, 0.99) }
}
