import type { Address } from '@tocsin/proof'
import type { Context, Signer } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { assertVerifiable } from './assert-verifiable.ts'
import { assertClocksAgree, decideEntryTime } from './entry-time.ts'
import { type LockedLog, lockLog } from './lock-log.ts'
import { type Entry, extendHead, LogFault } from './log.ts'
import { stopLog } from './stop-log.ts'
import * as store from './store.ts'

/**
 * The position of a new entry, and the current signing key. Neither can change before the
 * transaction ends, because the log head is locked, so the entry can be signed immediately.
 */
export interface EntryPosition {
  index: number
  signer: Signer
  /** The database's time. */
  now: Date
  /**
   * Returns the entry's createdAt: `wantedTime` if given, otherwise `now`. If the newest entry is
   * up to 10 s later than that, returns the time of the newest entry.
   * @throws Refusal clock_wrong if the log cannot hold an entry with that time
   */
  decideTime(wantedTime?: Date): Date
}

export interface LoggedEntry {
  index: number
  leafHash: Uint8Array
}

/**
 * Appends entries in the caller's transaction: they are logged if and only if it commits. `build`
 * is called once, under the lock on the log head, and decides what is appended. Each builder that
 * it returns then gets the position of its entry. The `now` of `build` is the time of the database.
 * The createdAt of new entries is this time or a later one, unless a builder asks for an earlier
 * time.
 * @throws Refusal log_stopped, clock_wrong
 */
export async function appendEntries(
  ctx: Context,
  tx: Tx,
  build: (now: Date) => Promise<readonly ((position: EntryPosition) => Entry)[]>,
): Promise<LoggedEntry[]> {
  return stopLogOnFault(ctx, async () => {
    const log = await lockLog(ctx, tx)
    const builders = await build(log.clocks.databaseAt)
    if (builders.length === 0) return []
    const assignPosition = createPositionAssigner(ctx, log)
    const entries = builders.map((build) => build(assignPosition()))
    return writeEntries(ctx, tx, log, entries, log.head.signer)
  })
}

/**
 * Returns a function that gives the position of the next entry. No entry is earlier than the entry
 * before it.
 * @throws Refusal clock_wrong, log_stopped
 */
export function createPositionAssigner(
  ctx: Context,
  { head, newestTime: newestBefore, clocks }: LockedLog,
): () => EntryPosition {
  assertClocksAgree(clocks)
  const signer = getSigner(ctx, head.signer)
  const now = clocks.databaseAt
  let newestTime = newestBefore
  let size = head.size
  return () => {
    const index = size++
    return {
      index,
      signer,
      now,
      decideTime(wantedTime) {
        const at = decideEntryTime({ wanted: wantedTime, now, newest: newestTime })
        newestTime = { index, createdAt: at.toISOString() }
        return at
      },
    }
  }
}

/** Runs the work, and stops the log on every instance if it throws LogFault. */
export async function stopLogOnFault<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LogFault) await stopLog(ctx, error.message)
    throw error
  }
}

/**
 * Returns the signer for the key that the log names, or for the configured key before the first key
 * list.
 * @throws Refusal log_stopped if this server does not hold that key
 */
export function getSigner({ signers }: Context, signerAddress: Address | null): Signer {
  const signer = signerAddress === null ? signers.held[0] : signers.find(signerAddress)
  if (signer) return signer
  const heldAddresses = signers.held.map(({ address }) => address).join(' and ')
  throw new Refusal(
    'log_stopped',
    `The log names the signing key ${signerAddress}, but this server holds ${heldAddresses}. Set SIGNER_KEY or SIGNER_KEY_NEXT to that key.`,
  )
}

/** Entries to append and the resulting head of the log, computed but not written yet. */
export interface Extension {
  entries: readonly Entry[]
  extended: ReturnType<typeof extendHead>
  logged: LoggedEntry[]
}

/**
 * Checks new entries, and computes the rows to write for them. Callers must hold the lock on the
 * head.
 * @throws Error if a verifier would not accept the entries
 * @param signer address whose key signs later entries, not these
 */
export async function extendLog(
  ctx: Context,
  tx: Tx,
  log: LockedLog,
  entries: readonly Entry[],
  signer: Address | null,
): Promise<Extension> {
  await assertVerifiable(ctx, tx, log, entries)
  const extended = extendHead(log.head, entries, signer)
  const loggedEntries = extended.leafHashes.map((leafHash, index) => ({ index: log.head.size + index, leafHash }))
  return { entries, extended, logged: loggedEntries }
}

/**
 * Writes the extension. The SQL statement is sent before the function returns.
 * @throws LogFault if the head is damaged; the transaction cannot commit then
 */
export function writeExtension(ctx: Context, tx: Tx, log: LockedLog, { entries, extended }: Extension): Promise<void> {
  const pendingWrite = store.writeEntries(tx, log.head.size, entries, extended, log.clocks.databaseAt)
  ctx.failpoint('append: entries sent')
  return pendingWrite
}

/**
 * Checks that every verifier accepts the entries, and inserts them. Callers must hold the lock on
 * the head.
 * @throws LogFault if the head is damaged; nothing is then committed
 * @param signer address whose key signs later entries, not these
 */
export async function writeEntries(
  ctx: Context,
  tx: Tx,
  log: LockedLog,
  entries: readonly Entry[],
  signer: Address | null,
): Promise<LoggedEntry[]> {
  const extension = await extendLog(ctx, tx, log, entries, signer)
  await writeExtension(ctx, tx, log, extension)
  ctx.failpoint('append: after entries')
  return extension.logged
}
