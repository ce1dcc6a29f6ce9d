import { type AlertStatement, encodeAlert, hashAlert } from '@tocsin/proof'
import type { Context } from '../../src/context.ts'
import {
  appendEntries,
  type EntryPosition,
  getSigner,
  type LoggedEntry,
} from '../../src/features/tlog/append-entries.ts'
import type { Entry } from '../../src/features/tlog/log.ts'

/** Creates sample entries for tests. */

export function signSample(
  ctx: Context,
  { index, signer, decideTime }: EntryPosition,
  summary = `Entry ${index}`,
): Entry {
  const { contract, chainId } = ctx.config.anchor
  const statement: AlertStatement = {
    kind: 'alert',
    index,
    id: `alert-${index}`,
    asset: 'BTC/USD',
    priority: 'high',
    anomalyType: '',
    regime: 'Trending',
    summary,
    confidence: 87.5,
    createdAt: decideTime().toISOString(),
    origin: 'admin',
    signalHash: null,
    signer: signer.address,
    targetIndex: null,
    targetLeafHash: null,
  }
  const digest = hashAlert({ chainId, verifyingContract: contract }, statement)
  return { bytes: encodeAlert(statement), signature: signer.signDigest(digest) }
}

/** Creates a sample entry that is signed with the configured key. */
export function signSampleAt(ctx: Context, index: number): Entry {
  const now = ctx.clock.now()
  return signSample(ctx, { index, signer: getSigner(ctx, null), now, decideTime: () => now })
}

export async function appendSample(ctx: Context, summary?: string): Promise<LoggedEntry> {
  const [logged] = await ctx.db.transaction((tx) =>
    appendEntries(ctx, tx, async () => [(position) => signSample(ctx, position, summary)]),
  )
  if (!logged) throw new Error('No entry was appended')
  return logged
}

export async function appendSamples(ctx: Context, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await appendSample(ctx)
}
