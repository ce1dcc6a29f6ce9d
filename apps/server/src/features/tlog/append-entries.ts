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
 * The position of an entry at the time it is issued, and the current signing key. What is signed
 * with them is final.
 */
export interface Place {
  index: number
  signer: Signer
  /** The database's time. */
  now: Date
  /**
   * Returns the entry's createdAt: `now`, or an earlier time if given.
   * @throws Refusal clock_wrong if the log cannot hold an entry with that time
   */
  decideTime(wanted?: Date): Date
}

export interface Logged {
  index: number
  leafHash: Uint8Array
}

/** Decides what is appended. Each builder that it returns then gets the position of its entry. */
export type Build = (now: Date) => Promise<readonly ((place: Place) => Entry)[]>

/** What else an append does, without round trips of its own. */
export interface AppendPlan {
  /** Sends reads that need the lock, behind the statement that takes it. May be called again. */
  read?(): Promise<unknown>
  build: Build
  /**
   * Sends the writes that belong to the entries, behind the statement that writes the entries. They
   * must fail if those are not written, as those with a foreign key do.
   */
  save?(logged: Logged[]): Promise<unknown>
}

/**
 * Appends entries in the caller's transaction: they are logged if and only if it commits. `build`
 * is called once, under the lock on the log head. Its `now` is the time of the database: no entry
 * is earlier.
 * @throws Refusal log_stopped, clock_wrong
 */
export async function appendEntries(ctx: Context, tx: Tx, plan: Build | AppendPlan): Promise<Logged[]> {
  const { read, build, save }: AppendPlan = typeof plan === 'function' ? { build: plan } : plan
  return stoppingAtFaults(ctx, async () => {
    const log = await lockLog(ctx, tx, read)
    const builders = await build(log.clocks.databaseAt)
    if (builders.length === 0) return []
    const { size, signer } = log.head
    const takePlace = createPlaces(ctx, log)
    const entries = builders.map((build, at) => build(takePlace(size + at)))
    return writeEntries(ctx, tx, log, entries, signer, save)
  })
}

/**
 * Assigns positions to entries. Each entry's time is at or after that of the entry before it.
 * @throws Refusal clock_wrong, log_stopped
 */
export function createPlaces(ctx: Context, { head, newest: before, clocks }: LockedLog): (index: number) => Place {
  assertClocksAgree(clocks)
  const signer = getSigner(ctx, head.signer)
  const now = clocks.databaseAt
  let newest = before
  return (index) => ({
    index,
    signer,
    now,
    decideTime(wanted) {
      const at = decideEntryTime({ wanted, now, newest })
      newest = { index, createdAt: at.toISOString() }
      return at
    },
  })
}

/** Stops the log on every instance if the work throws LogFault. */
export async function stoppingAtFaults<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LogFault) await stopLog(ctx, error.message)
    throw error
  }
}

/**
 * Returns the key that the log names, or the configured key before the first key list.
 * @throws Refusal log_stopped if this server does not hold that key
 */
export function getSigner({ signers }: Context, named: Address | null): Signer {
  const signer = named === null ? signers.held[0] : signers.find(named)
  if (signer) return signer
  const held = signers.held.map(({ address }) => address).join(' and ')
  throw new Refusal(
    'log_stopped',
    `The log names the signing key ${named}, but this server holds ${held}. Set SIGNER_KEY or SIGNER_KEY_NEXT to that key.`,
  )
}

/**
 * Inserts entries that every verifier accepts. Callers must hold the lock on the head.
 * @throws LogFault if the head is damaged; nothing is then committed
 * @param signer who signs the entries after these
 */
export async function writeEntries(
  ctx: Context,
  tx: Tx,
  log: LockedLog,
  entries: readonly Entry[],
  signer: Address | null,
  save?: AppendPlan['save'],
): Promise<Logged[]> {
  const old = log.head
  await assertVerifiable(ctx, tx, log, entries)
  const extended = extendHead(old, entries, signer)
  const logged = extended.leafHashes.map((leafHash, at) => ({ index: old.size + at, leafHash }))
  const writing = store.writeEntries(tx, old.size, entries, extended, log.clocks.databaseAt)
  ctx.failpoint('append: entries sent')
  const [written, saved] = await Promise.allSettled([writing, save?.(logged)])
  if (written.status === 'rejected') throw written.reason
  if (saved.status === 'rejected') throw saved.reason
  ctx.failpoint('append: after entries')
  return logged
}
