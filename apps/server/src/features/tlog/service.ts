import { type Address, bytesToHex, decodeStatement, type Hex, type SigningKey } from '@tocsin/proof'
import type { LogKeys } from '@tocsin/protocol'
import { operator, recordAudit } from '../../audit-log.ts'
import type { Context, Signer } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { proveInclusions } from '../../inclusion-proofs.ts'
import { Refusal } from '../../refusal.ts'
import { assertSignerApproved } from '../settings/approved-values.ts'
import { createPositionAssigner, getSigner, stopLogOnFault, writeEntries } from './append-entries.ts'
import { buildFirstKeyList, buildNextKeyList, signKeyList } from './key-list.ts'
import { lockLog, readKeys } from './lock-log.ts'
import { isAnchoringDelayed } from './log.ts'
import { presentSignedEntry } from './present.ts'
import { getProofDomain } from './proof-domain.ts'
import * as store from './store.ts'

/**
 * Makes sure that the log has a key list: an empty log begins with one, and an older log without
 * key lists gets one now. Run it before anything is appended.
 * @param beginsAt createdAt of the first entry of an empty log; default: now
 * @throws Refusal log_stopped if this server holds no key that the log names
 */
export async function ensureKeyList(ctx: Context, beginsAt?: Date): Promise<void> {
  const { signer: signerAddress } = await store.findHead(ctx.db)
  if (signerAddress !== null) {
    getSigner(ctx, signerAddress)
    return
  }
  await stopLogOnFault(ctx, () => ctx.db.transaction((tx) => startKeyList(ctx, tx, beginsAt)))
}

/** Like `ensureKeyList`, in the caller's transaction. */
export async function startKeyList(ctx: Context, tx: Tx, beginsAt?: Date): Promise<void> {
  const log = await lockLog(ctx, tx)
  const { size, signer: currentSigner } = log.head
  if (currentSigner !== null) {
    getSigner(ctx, currentSigner)
    return
  }
  const signer = getSigner(ctx, await findLastSigner(tx, size))
  const createdAt = createPositionAssigner(ctx, log)().decideTime(size === 0 ? beginsAt : undefined)
  const statement = buildFirstKeyList({ index: size, createdAt, signer })
  const entry = signKeyList(null, statement, getProofDomain(ctx), signer)
  await writeEntries(ctx, tx, log, [entry], signer.address)
  await store.insertKeyList(tx, size)
}

async function findLastSigner(tx: Tx, size: number): Promise<Address | null> {
  const [lastEntry] = size > 0 ? await store.listEntries(tx, size - 1, 1) : []
  return lastEntry ? decodeStatement(lastEntry.bytes).signer : null
}

/**
 * Rotates the signing key to SIGNER_KEY_NEXT on every instance that holds it. Appends a list of all
 * keys, signed by the previous key. Earlier signatures stay valid.
 * @throws Refusal with a message for the operator if there is no other key, or the log has already
 *   named it
 */
export async function rotateSigner(ctx: Context): Promise<{ index: number; from: Address; to: Address }> {
  return stopLogOnFault(ctx, () =>
    ctx.db.transaction(async (tx) => {
      const log = await lockLog(ctx, tx)
      const { size: index } = log.head
      const { keys: formerKeys } = log
      if (formerKeys === null) throw new Error('The log has no key list yet: start the server first')
      const { signer, decideTime } = createPositionAssigner(ctx, log)()
      const nextSigner = chooseNextSigner(ctx, formerKeys)
      await assertSignerApproved(ctx, tx, nextSigner.address)
      const statement = buildNextKeyList(formerKeys, nextSigner, { index, createdAt: decideTime(), signer })
      const entry = signKeyList(formerKeys, statement, getProofDomain(ctx), signer)
      await writeEntries(ctx, tx, log, [entry], nextSigner.address)
      await store.insertKeyList(tx, index)
      // The public configuration contains the key, so instances must reload it.
      await ctx.notifications.notify(tx, 'settings', 'signer')
      const detail = { logEntry: index, from: signer.address, to: nextSigner.address }
      await recordAudit(tx, { ...operator, action: 'signer_rotated', subject: null, detail, at: ctx.clock.now() })
      return { index, from: signer.address, to: nextSigner.address }
    }),
  )
}

/**
 * Returns a key that this server holds and the log has never named. A key that was named and
 * replaced may have leaked.
 */
function chooseNextSigner({ signers }: Context, formerKeys: readonly SigningKey[]): Signer {
  const nextSigner = signers.held.find(({ address }) => !formerKeys.some((key) => key.address === address))
  if (nextSigner) return nextSigner
  throw new Refusal(
    'malformed',
    'There is no new key to rotate to. Set SIGNER_KEY_NEXT to a key that the log has never named.',
  )
}

/**
 * Returns all keys that ever signed, with the range of entries that each may sign. Empty before the
 * first key list.
 */
export async function findKeys(tx: Queryable): Promise<SigningKey[]> {
  return readKeys(await store.findNewestKeyList(tx)) ?? []
}

/** Returns the keys to verify with. A log without a key list has only the configured key. */
export async function listPublishedKeys(ctx: Context): Promise<SigningKey[]> {
  const keys = await findKeys(ctx.db)
  if (keys.length > 0) return keys
  const { address, checkpointKey } = getSigner(ctx, null)
  return [{ address, checkpointKey, fromIndex: 0, untilIndex: null }]
}

/** Returns every key list of the log with its proof, oldest first. */
export async function listKeyEntries(ctx: Context): Promise<LogKeys['entries']> {
  return presentProvenEntries(ctx, await store.listKeyLists(ctx.db))
}

/** Returns the first outcomes of an alert with their proofs, oldest first. */
export async function listOutcomes(ctx: Context, targetIndex: number, limit: number): Promise<LogKeys['entries']> {
  return presentProvenEntries(ctx, await store.listOutcomeEntries(ctx.db, targetIndex, limit))
}

async function presentProvenEntries(ctx: Context, rows: readonly store.EntryWithAnchor[]): Promise<LogKeys['entries']> {
  const claims = rows.flatMap(({ entry, anchor }) => (anchor ? [{ index: entry.index, size: anchor.size }] : []))
  const paths = (await proveInclusions(ctx.db, claims)).values()
  return rows.map((row) => presentSignedEntry(row, row.anchor ? (paths.next().value ?? []) : []))
}

/** Returns the number of logged entries. */
export async function getLogSize(ctx: Context): Promise<number> {
  return (await store.findHead(ctx.db)).size
}

/**
 * Returns the leaf hash of the first entry. It identifies the log, because it is unique and never
 * changes.
 */
export async function findLogId(ctx: Context): Promise<Hex> {
  const [first] = await store.listEntries(ctx.db, 0, 1)
  if (!first) throw new Error('The log is empty')
  return bytesToHex(first.leafHash)
}

export interface AnchorState {
  state: 'current' | 'delayed' | 'stopped'
  /** The reason; null if the state is `current`. */
  reason: string | null
  lastAnchoredAt: Date | null
  anchoredSize: number
  oldestWaitingAt: Date | null
}

/**
 * Returns whether anchoring keeps up with the log. The state comes from the tables, so every
 * instance reports the same state.
 */
export async function getAnchorState(ctx: Context): Promise<AnchorState> {
  const [newestAnchor, logStop, problem] = await Promise.all([
    store.findNewestAnchor(ctx.db),
    store.findStop(ctx.db),
    store.findAnchoringProblem(ctx.db),
  ])
  const anchoredSize = newestAnchor?.size ?? 0
  const oldestWaitingAt = await store.findEntryTime(ctx.db, anchoredSize)
  const commonFields = { lastAnchoredAt: newestAnchor?.blockAt ?? null, anchoredSize, oldestWaitingAt }
  if (logStop) return { ...commonFields, state: 'stopped', reason: logStop.reason }
  const isDelayed = isAnchoringDelayed(oldestWaitingAt, ctx.clock.now(), ctx.config.anchor.intervalSeconds)
  if (!isDelayed) return { ...commonFields, state: 'current', reason: null }
  return {
    ...commonFields,
    state: 'delayed',
    reason: problem ?? 'entries are waiting for their anchor longer than they should',
  }
}

/** Returns the tree size of the newest anchor, or 0 before the first one. */
export async function getAnchoredSize(ctx: Context): Promise<number> {
  return (await store.findNewestAnchor(ctx.db))?.size ?? 0
}

/** Returns why entries are not logged or anchored, or null. */
export async function findAnchoringProblem(ctx: Context): Promise<string | null> {
  const { state, reason } = await getAnchorState(ctx)
  if (state === 'stopped') return `the log is stopped: ${reason}`
  return (await store.findAnchoringProblem(ctx.db)) ?? reason
}
