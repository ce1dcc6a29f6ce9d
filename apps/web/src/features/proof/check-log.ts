import {
  bytesToHex,
  type Hex,
  hexToBytes,
  parseSignedEntry,
  type Rpc,
  readAnchorEvidence,
  readKeyListEvidence,
  type SigningKey,
  verifyCheckpoint,
  verifyConsistency,
  verifyKeyList,
} from '@tocsin/proof'
import type { LogConsistency } from '@tocsin/protocol'
import { numberLocale } from '../../texts/language.ts'
import { proofChecksTexts } from '../../texts/proof-checks.ts'
import type { LogCheckResult, LogSnapshot, LogStep, Trust } from './proof-task.ts'

const texts = proofChecksTexts.checkLog

type Outcome = Omit<LogStep, 'id'>
type Checkpoint = { size: number; root: Uint8Array }

const passed = (reason: string): Outcome => ({ status: 'passed', reason })
const failed = (reason: string): Outcome => ({ status: 'failed', reason })
const pending = (reason: string): Outcome => ({ status: 'pending', reason })
const unavailable: Outcome = { status: 'unavailable', reason: texts.anchorChain }

/**
 * Verifies that the current log extends the one seen before and the anchored one. Runs all four
 * steps even if one fails, so that the report is complete.
 */
export async function checkLog(log: LogSnapshot, trust: Trust, rpc: Rpc): Promise<Omit<LogCheckResult, 'asked'>> {
  const { keys, ...lists } = await checkKeys(log, trust, rpc)
  const { checkpoint, ...note } = checkNote(log.note, log.origin, keys)
  return {
    steps: [
      { id: 'keys', ...lists },
      { id: 'note', ...note },
      { id: 'seen', ...(checkpoint ? checkSeen(log, checkpoint, keys) : withoutNote) },
      { id: 'anchor', ...(checkpoint ? await checkAnchor(log, checkpoint, trust, rpc) : withoutNote) },
    ],
    checkpoint: checkpoint && { size: checkpoint.size, root: bytesToHex(checkpoint.root) },
  }
}

const withoutNote = pending(texts.needsACheckpointWhose)

async function checkKeys(
  { keys }: LogSnapshot,
  { domain, firstSigner }: Trust,
  rpc: Rpc,
): Promise<Outcome & { keys: SigningKey[] }> {
  try {
    const entries = keys.map(parseSignedEntry)
    const evidence = await readKeyListEvidence(rpc, domain, entries)
    const verified = verifyKeyList({ domain, firstSigner, entries, evidence })
    if ('failure' in verified) return { ...failed(verified.failure), keys: [] }
    const found = { keys: verified.keys }
    const isAlone = verified.keys.length === 1
    const chain = texts.keysEachNamed({ count: verified.keys.length })
    const words = isAlone ? texts.firstSigner : chain
    if (verified.unavailable.length > 0) return { ...unavailable, ...found }
    if (verified.pending.length > 0) return { ...pending(texts.newestListIsNotAnchored({ words })), ...found }
    return { ...passed(words), ...found }
  } catch (error) {
    return { ...failed(sentenceOf(error)), keys: [] }
  }
}

function checkNote(
  note: string,
  origin: string,
  keys: readonly SigningKey[],
): Outcome & { checkpoint: Checkpoint | null } {
  if (keys.length === 0) return { ...pending(texts.needsAKeyList), checkpoint: null }
  try {
    const checkpoint = verifyCheckpoint(note, { origin, keys })
    return { ...passed(texts.sizeSignedByTheKey({ size: counted(checkpoint.size) })), checkpoint }
  } catch (error) {
    return { ...failed(sentenceOf(error)), checkpoint: null }
  }
}

function checkSeen(
  { seenNote, origin, sinceSeen }: LogSnapshot,
  now: Checkpoint,
  keys: readonly SigningKey[],
): Outcome {
  if (seenNote === null) return pending(texts.nothingIsKept)
  let seen: Checkpoint
  try {
    seen = verifyCheckpoint(seenNote, { origin, keys })
  } catch (error) {
    return failed(texts.keptCheckpointDoesNotCheck({ error: sentenceOf(error) }))
  }
  if (seen.size > now.size) {
    return failed(texts.logHadWhenYouSaw({ size: counted(seen.size, 'entry'), size2: counted(now.size) }))
  }
  const root = bytesToHex(seen.root)
  if (!isExtension(seen, now, sinceSeen)) {
    return failed(texts.whatIsShownNow({ size: counted(seen.size, 'entry'), root: short(root) }))
  }
  if (seen.size === now.size) return passed(texts.sameAsYouSawLast({ size: counted(now.size, 'entry') }))
  return passed(texts.begins({ size: counted(seen.size, 'entry'), size2: counted(now.size - seen.size) }))
}

async function checkAnchor(
  { anchor, sinceAnchor }: LogSnapshot,
  now: Checkpoint,
  { domain }: Trust,
  rpc: Rpc,
): Promise<Outcome> {
  if (!anchor) return pending(texts.nothingOfThisLog)
  const evidence = await readAnchorEvidence(rpc, domain, anchor.transactionHash, anchor.size)
  if (evidence === 'unavailable') return unavailable
  if (!evidence) return failed(texts.chainHoldsNoAnchor({ transactionHash: short(anchor.transactionHash) }))
  if (evidence.status !== 'success') return failed(texts.anchoringTransaction)
  if (evidence.size !== anchor.size) {
    return failed(texts.chainsAnchor({ size: counted(evidence.size, 'entry'), size2: counted(anchor.size) }))
  }
  const anchored = { size: evidence.size, root: hexToBytes(evidence.root) }
  if (!isExtension(anchored, now, sinceAnchor)) {
    return failed(texts.whatIsShownNowDoes({ root: short(evidence.root) }))
  }
  const block = texts.blockBlockNumber({ blockNumber: evidence.blockNumber })
  return passed(texts.beginsWith({ size: counted(anchored.size, 'entry'), block }))
}

function isExtension(old: Checkpoint, now: Checkpoint, proof: LogConsistency | null): boolean {
  if (old.size > now.size) return false
  if (old.size < now.size && (proof?.from !== old.size || proof.to !== now.size)) return false
  // Every log extends the empty log.
  if (old.size === 0) return true
  try {
    const path = old.size === now.size ? [] : (proof?.path ?? []).map(hexToBytes)
    return verifyConsistency({
      oldSize: old.size,
      newSize: now.size,
      oldRoot: old.root,
      newRoot: now.root,
      path,
    })
  } catch {
    return false
  }
}

function counted(count: number, noun?: 'entry'): string {
  return noun === undefined ? count.toLocaleString(numberLocale) : texts.entries({ count })
}

function short(hash: Hex | string): string {
  return `${hash.slice(2, 8)}…${hash.slice(-4)}`
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : texts.itIsMalformed
}
