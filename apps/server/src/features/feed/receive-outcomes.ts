import { hashSignal } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { issueOutcomes } from '../alerts/issue-outcomes.ts'
import { readOutcomeClaim } from '../alerts/outcome.ts'
import { listStoredOutcomes } from '../alerts/outcome-store.ts'
import { retryStoring } from './retry-storing.ts'
import * as store from './store.ts'

/**
 * Logs the outcomes that follow from these messages. Throws on a temporary failure, so that the
 * connection ends and the feed sends the messages again: an outcome must not be lost.
 * @returns the messages that were rejected
 */
export async function receiveOutcomes(
  ctx: Context,
  raws: readonly string[],
  signal: AbortSignal,
): Promise<store.RefusedMessage[]> {
  if (raws.length === 0) return []
  const newOutcomes = await retryStoring(ctx, signal, () => listNewOutcomes(ctx, raws))
  if (newOutcomes.length === 0) return []
  const results = await retryStoring(ctx, signal, () => issueOutcomes(ctx, newOutcomes))
  return newOutcomes.flatMap((raw, index) => {
    const result = results[index]
    return typeof result === 'object' ? { raw, reason: result.refusal } : []
  })
}

/**
 * Returns the messages that must be logged. Leaves out messages that are already logged, because
 * the feed sends the messages of a week again on each connection. Also leaves out messages of
 * signals that were counted under an earlier alert.
 */
async function listNewOutcomes(ctx: Context, raws: readonly string[]): Promise<string[]> {
  const hashes = raws.map(hashSignal)
  const ids = raws.flatMap((raw) => readOutcomeClaim(raw)?.id ?? [])
  const [storedHashes, mergedIds] = await Promise.all([
    listStoredOutcomes(ctx.db, hashes),
    store.listMergedSignalIds(ctx.db, ids),
  ])
  return raws.filter((raw, index) => {
    const isMerged = mergedIds.has(readOutcomeClaim(raw)?.id ?? '')
    return !isMerged && !storedHashes.has(hashes[index] ?? '')
  })
}
