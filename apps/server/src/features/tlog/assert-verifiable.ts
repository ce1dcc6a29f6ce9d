import { createLogCheck, decodeStatement, hashLeaf, type LogEntry } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { primitives } from '../../primitives.ts'
import type { LockedLog } from './lock-log.ts'
import { type Entry, presentEntry } from './log.ts'
import { getProofDomain } from './proof-domain.ts'
import * as store from './store.ts'

/**
 * Checks entries that are about to be appended by the rules that every verifier applies to the
 * whole log: position, bytes, leaf hash, signature, key window, time, key lists and targets. An
 * entry that verifiers reject must not be appended, because it could never be removed again.
 * @throws Error naming the first broken rule; the caller must not commit then
 */
export async function assertVerifiable(
  ctx: Context,
  tx: Tx,
  { head, keys, newestTime, firstSalted }: LockedLog,
  entries: readonly Entry[],
): Promise<void> {
  const [first] = entries
  if (!first) return
  const check = createLogCheck({
    domain: getProofDomain(ctx),
    // Only used before the first key list, when the log's first key has signed every entry.
    firstSigner: keys?.[0]?.address ?? decodeStatement(first.bytes).signer,
    initialState: {
      frontier: head.frontier,
      keys,
      newest: newestTime,
      firstSaltedIndex: firstSalted,
      targets: await loadTargets(tx, head.size, entries),
    },
    primitives,
  })
  for (const { bytes, signature } of entries) {
    const problem = check.add(presentEntry({ index: check.size, leafHash: hashLeaf(bytes), bytes, signature }))
    if (problem !== null) throw new Error(`Verifiers would reject an entry, so nothing was appended. ${problem}`)
  }
  const [openTarget] = check.openTargets
  if (openTarget)
    throw new Error(`Entry ${openTarget.index} points at entry ${openTarget.targetIndex}, which is not in the log`)
}

/** Loads the stored entries to which new corrections, retractions and outcomes refer. */
async function loadTargets(tx: Tx, size: number, entries: readonly Entry[]): Promise<LogEntry[]> {
  const indexes = entries.flatMap((entry) => readTargetIndex(entry) ?? [])
  const storedIndexes = indexes.filter((index) => index < size)
  return storedIndexes.length > 0 ? (await store.listEntriesAt(tx, storedIndexes)).map(presentEntry) : []
}

/**
 * Returns the index of the entry's target. Null if it has none, or if its bytes cannot be decoded;
 * the check reports that.
 */
function readTargetIndex({ bytes }: Entry): number | null {
  try {
    const entry: { targetIndex?: unknown } = JSON.parse(Buffer.from(bytes).toString())
    return typeof entry.targetIndex === 'number' ? entry.targetIndex : null
  } catch {
    return null
  }
}
