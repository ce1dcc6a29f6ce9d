import { type AlertStatement, encodeAlert, hashAlert } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { Entry } from './log.ts'
import { appendEntry } from './service.ts'

/** Entries for the tests of this folder. */

export function signSample(ctx: Context, index: number, summary = `Entry ${index}`): Entry {
  const { contract, chainId } = ctx.config.anchor
  const statement: AlertStatement = {
    index,
    id: `alert-${index}`,
    asset: 'BTC/USD',
    priority: 'high',
    anomalyType: '',
    regime: 'Trending',
    summary,
    confidence: 87.5,
    createdAt: ctx.clock.now().toISOString(),
    origin: 'admin',
    signalHash: null,
    signer: ctx.signer.address,
  }
  const digest = hashAlert({ chainId, verifyingContract: contract }, statement)
  return { bytes: encodeAlert(statement), signature: ctx.signer.signDigest(digest) }
}

export async function appendSample(ctx: Context, summary?: string): Promise<{ index: number }> {
  return ctx.db.transaction((tx) => appendEntry(ctx, tx, (index) => signSample(ctx, index, summary)))
}

export async function appendSamples(ctx: Context, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await appendSample(ctx)
}
