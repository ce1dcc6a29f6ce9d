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
import { numberLocale } from '../../ui/locale.ts'
import type { LogCheckResult, LogSnapshot, LogStep, Trust } from './proof-task.ts'

type Outcome = Omit<LogStep, 'id'>
type Checkpoint = { size: number; root: Uint8Array }

const createPassed = (reason: string): Outcome => ({ status: 'passed', reason })
const createFailed = (reason: string): Outcome => ({ status: 'failed', reason })
const createPendingOutcome = (reason: string): Outcome => ({ status: 'pending', reason })
const unavailable: Outcome = { status: 'unavailable', reason: 'The anchor chain could not be reached' }

/**
 * Verifies that the current log extends both the log that this browser saw before and the anchored
 * log. Runs all four steps even if one fails, so that the report is complete.
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

const withoutNote = createPendingOutcome('Needs a checkpoint with a valid signature')

export async function checkKeys(
  { keys }: Pick<LogSnapshot, 'keys'>,
  { domain, firstSigner }: Trust,
  rpc: Rpc,
): Promise<Outcome & { keys: SigningKey[] }> {
  try {
    const entries = keys.map(parseSignedEntry)
    const evidence = await readKeyListEvidence(rpc, domain, entries)
    const verified = verifyKeyList({ domain, firstSigner, entries, evidence })
    if ('failure' in verified) return { ...createFailed(verified.failure), keys: [] }
    const findings = { keys: verified.keys }
    const isAlone = verified.keys.length === 1
    const chain = `${verified.keys.length.toLocaleString(numberLocale)} keys, each named by the one before, back to the first signer`
    const words = isAlone ? 'The first signer is the only key so far' : chain
    if (verified.unavailable.length > 0) return { ...unavailable, ...findings }
    if (verified.pending.length > 0)
      return { ...createPendingOutcome(`${words}; the newest list is not anchored yet`), ...findings }
    return { ...createPassed(words), ...findings }
  } catch (error) {
    return { ...createFailed(formatError(error)), keys: [] }
  }
}

function checkNote(
  note: string,
  origin: string,
  keys: readonly SigningKey[],
): Outcome & { checkpoint: Checkpoint | null } {
  if (keys.length === 0) return { ...createPendingOutcome('Needs a valid key list'), checkpoint: null }
  try {
    const checkpoint = verifyCheckpoint(note, { origin, keys })
    return {
      ...createPassed(`Size ${formatEntryCount(checkpoint.size)}, signed by the key that is valid at this size`),
      checkpoint,
    }
  } catch (error) {
    return { ...createFailed(formatError(error)), checkpoint: null }
  }
}

function checkSeen(
  { seenNote, origin, sinceSeen }: LogSnapshot,
  now: Checkpoint,
  keys: readonly SigningKey[],
): Outcome {
  if (seenNote === null) return createPendingOutcome('This browser had no checkpoint yet. It has stored this one')
  let seen: Checkpoint
  try {
    seen = verifyCheckpoint(seenNote, { origin, keys })
  } catch (error) {
    return createFailed(`The stored checkpoint is not signed with these keys: ${formatError(error)}`)
  }
  if (seen.size > now.size) {
    return createFailed(
      `The log had ${formatEntryCount(seen.size, 'entry')} when you last saw it, now it shows ${formatEntryCount(now.size)}`,
    )
  }
  const root = bytesToHex(seen.root)
  if (!isExtension(seen, now, sinceSeen)) {
    return createFailed(
      `The current log does not begin with the ${formatEntryCount(seen.size, 'entry')} of root ${shortenHash(root)}`,
    )
  }
  if (seen.size === now.size) return createPassed(`The same ${formatEntryCount(now.size, 'entry')} that you last saw`)
  return createPassed(
    `Begins with the ${formatEntryCount(seen.size, 'entry')} that you last saw, and adds ${formatEntryCount(now.size - seen.size)}`,
  )
}

async function checkAnchor(
  { anchor, sinceAnchor }: LogSnapshot,
  now: Checkpoint,
  { domain }: Trust,
  rpc: Rpc,
): Promise<Outcome> {
  if (!anchor) return createPendingOutcome('Nothing of this log is anchored yet')
  const evidence = await readAnchorEvidence(rpc, domain, anchor.transactionHash, anchor.size)
  if (evidence === 'unavailable') return unavailable
  if (!evidence)
    return createFailed(`The chain has no anchor of this contract in ${shortenHash(anchor.transactionHash)}`)
  if (evidence.status !== 'success') return createFailed('The anchoring transaction was reverted')
  if (evidence.size !== anchor.size) {
    return createFailed(
      `The chain’s anchor covers ${formatEntryCount(evidence.size, 'entry')}, the site says ${formatEntryCount(anchor.size)}`,
    )
  }
  const anchored = { size: evidence.size, root: hexToBytes(evidence.root) }
  if (!isExtension(anchored, now, sinceAnchor)) {
    return createFailed(
      `The current log does not begin with the entries of the anchored root ${shortenHash(evidence.root)}`,
    )
  }
  const block = `block ${evidence.blockNumber.toLocaleString(numberLocale)}`
  return createPassed(
    `Begins with the ${formatEntryCount(anchored.size, 'entry')} that the chain has held since ${block}`,
  )
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

function formatEntryCount(count: number, noun?: 'entry'): string {
  return noun === undefined
    ? count.toLocaleString(numberLocale)
    : `${count.toLocaleString(numberLocale)} ${count === 1 ? 'entry' : 'entries'}`
}

function shortenHash(hash: Hex | string): string {
  return `${hash.slice(2, 8)}…${hash.slice(-4)}`
}

function formatError(error: unknown): string {
  return error instanceof Error ? error.message : 'It is malformed'
}
