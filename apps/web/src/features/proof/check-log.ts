import {
  bytesToHex,
  hexToBytes,
  parseSignedEntry,
  type Rpc,
  readAnchorEvidence,
  readEntryEvidence,
  type SigningKey,
  verifyCheckpoint,
  verifyConsistency,
  verifyKeyList,
} from '@tocsin/proof'
import type { LogConsistency } from '@tocsin/protocol'
import { formatCount } from '../../ui/count.ts'
import { shortenHex } from '../../ui/short-hex.ts'
import type { LogCheckResult, LogSnapshot, LogStep, Trust } from './proof-task.ts'

type Outcome = Omit<LogStep, 'id'>
type Checkpoint = { size: number; root: Uint8Array }

const createPassedOutcome = (reason: string): Outcome => ({ status: 'passed', reason })
const createFailedOutcome = (reason: string): Outcome => ({ status: 'failed', reason })
const createPendingOutcome = (reason: string): Outcome => ({ status: 'pending', reason })
const unavailableOutcome: Outcome = { status: 'unavailable', reason: 'The anchor chain could not be reached' }

/**
 * Verifies that the current log extends both the log that this browser saw before and the anchored
 * log. Continues after a failed step, so that the report is complete. Without a valid checkpoint,
 * the last two steps are pending.
 */
export async function checkLog(log: LogSnapshot, trust: Trust, rpc: Rpc): Promise<Omit<LogCheckResult, 'nodeUsage'>> {
  const { keys, ...keysResult } = await checkKeys(log, trust, rpc)
  const { checkpoint, ...noteResult } = checkNote(log.note, log.origin, keys)
  return {
    steps: [
      { id: 'keys', ...keysResult },
      { id: 'note', ...noteResult },
      { id: 'seen', ...(checkpoint ? checkSeenCheckpoint(log, checkpoint, keys) : missingNoteResult) },
      { id: 'anchor', ...(checkpoint ? await checkAnchor(log, checkpoint, trust, rpc) : missingNoteResult) },
    ],
    checkpoint: checkpoint && { size: checkpoint.size },
  }
}

const missingNoteResult = createPendingOutcome('Needs a checkpoint with a valid signature')

export async function checkKeys(
  { keys }: Pick<LogSnapshot, 'keys'>,
  { domain, firstSigner }: Trust,
  rpc: Rpc,
): Promise<Outcome & { keys: SigningKey[] }> {
  try {
    const entries = keys.map(parseSignedEntry)
    const evidence = await readEntryEvidence(rpc, domain, entries)
    const verifiedList = verifyKeyList({ domain, firstSigner, entries, evidence })
    if ('failure' in verifiedList) return { ...createFailedOutcome(verifiedList.failure), keys: [] }
    const findings = { keys: verifiedList.keys }
    const isSingleKey = verifiedList.keys.length === 1
    const keyChainText = `${formatCount(verifiedList.keys.length)} keys, each authorised by the one before, back to the first signer`
    const reason = isSingleKey ? 'The first signer is the only key so far' : keyChainText
    if (verifiedList.unavailable.length > 0) return { ...unavailableOutcome, ...findings }
    if (verifiedList.pending.length > 0)
      return { ...createPendingOutcome(`${reason}; the newest list is not anchored yet`), ...findings }
    return { ...createPassedOutcome(reason), ...findings }
  } catch (error) {
    return { ...createFailedOutcome(formatError(error)), keys: [] }
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
      ...createPassedOutcome(`Size ${formatCount(checkpoint.size)}, signed by the key that is valid at this size`),
      checkpoint,
    }
  } catch (error) {
    return { ...createFailedOutcome(formatError(error)), checkpoint: null }
  }
}

function checkSeenCheckpoint(
  { seenNote, origin, seenConsistencyProof }: LogSnapshot,
  currentCheckpoint: Checkpoint,
  keys: readonly SigningKey[],
): Outcome {
  if (seenNote === null) return createPendingOutcome('This browser had no checkpoint yet. It has stored this one')
  let seenCheckpoint: Checkpoint
  try {
    seenCheckpoint = verifyCheckpoint(seenNote, { origin, keys })
  } catch (error) {
    return createFailedOutcome(`The stored checkpoint is not signed with these keys: ${formatError(error)}`)
  }
  if (seenCheckpoint.size > currentCheckpoint.size) {
    return createFailedOutcome(
      `The log had ${formatEntryCount(seenCheckpoint.size)} when you last saw it, now it shows ${formatCount(currentCheckpoint.size)}`,
    )
  }
  const root = bytesToHex(seenCheckpoint.root)
  if (!isExtension(seenCheckpoint, currentCheckpoint, seenConsistencyProof)) {
    return createFailedOutcome(
      `The current log does not begin with the ${formatEntryCount(seenCheckpoint.size)} of root ${shortenHash(root)}`,
    )
  }
  if (seenCheckpoint.size === currentCheckpoint.size)
    return createPassedOutcome(`The same ${formatEntryCount(currentCheckpoint.size)} that you last saw`)
  return createPassedOutcome(
    `Begins with the ${formatEntryCount(seenCheckpoint.size)} that you last saw, and adds ${formatCount(currentCheckpoint.size - seenCheckpoint.size)}`,
  )
}

async function checkAnchor(
  { anchor, anchorConsistencyProof }: LogSnapshot,
  currentCheckpoint: Checkpoint,
  { domain }: Trust,
  rpc: Rpc,
): Promise<Outcome> {
  if (!anchor) return createPendingOutcome('No entry of this log is anchored yet')
  const evidence = await readAnchorEvidence(rpc, domain, anchor.transactionHash, anchor.size)
  if (evidence === 'unavailable') return unavailableOutcome
  if (!evidence)
    return createFailedOutcome(
      `The chain has no anchor of this contract in transaction ${shortenHash(anchor.transactionHash)}`,
    )
  if (evidence.status !== 'success') return createFailedOutcome('The anchoring transaction was reverted')
  if (evidence.size !== anchor.size) {
    return createFailedOutcome(
      `The chain’s anchor covers ${formatEntryCount(evidence.size)}, the site says ${formatCount(anchor.size)}`,
    )
  }
  const anchoredCheckpoint = { size: evidence.size, root: hexToBytes(evidence.root) }
  if (!isExtension(anchoredCheckpoint, currentCheckpoint, anchorConsistencyProof)) {
    return createFailedOutcome(
      `The current log does not begin with the entries of the anchored root ${shortenHash(evidence.root)}`,
    )
  }
  const block = `block ${formatCount(evidence.blockNumber)}`
  return createPassedOutcome(
    `Begins with the ${formatEntryCount(anchoredCheckpoint.size)} that the root in ${block} covers`,
  )
}

function isExtension(oldCheckpoint: Checkpoint, newCheckpoint: Checkpoint, proof: LogConsistency | null): boolean {
  if (oldCheckpoint.size > newCheckpoint.size) return false
  if (
    oldCheckpoint.size < newCheckpoint.size &&
    (proof?.from !== oldCheckpoint.size || proof.to !== newCheckpoint.size)
  )
    return false
  // Every log extends the empty log.
  if (oldCheckpoint.size === 0) return true
  try {
    const path = oldCheckpoint.size === newCheckpoint.size ? [] : (proof?.path ?? []).map(hexToBytes)
    return verifyConsistency({
      oldSize: oldCheckpoint.size,
      newSize: newCheckpoint.size,
      oldRoot: oldCheckpoint.root,
      newRoot: newCheckpoint.root,
      path,
    })
  } catch {
    return false
  }
}

function formatEntryCount(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'entry' : 'entries'}`
}

const shortenHash = (hash: string) => shortenHex(hash.slice(2))

function formatError(error: unknown): string {
  return error instanceof Error ? error.message : 'It is malformed'
}
