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

/** Where an entry will be, when it is issued, and the key that the log names for it: what is signed with them is final. */
export interface Place {
  index: number
  signer: Signer
  /** The database's time. */
  now: Date
  /**
   * Returns the entry's createdAt, which is `now` unless a past moment is wanted.
   * @throws Refusal clock_wrong if the log can't hold an entry of that time
   */
  decideTime(wanted?: Date): Date
}

export interface Logged {
  index: number
  leafHash: Uint8Array
}

/**
 * Appends entries in the caller's transaction: they are logged exactly if that transaction commits. `plan` is called once, under
 * the lock of the log's head, and decides what is appended; each of its builders then gets the place of its entry.
 * @throws Refusal log_stopped, clock_wrong
 */
export async function appendEntries(
  ctx: Context,
  tx: Tx,
  plan: () => Promise<readonly ((place: Place) => Entry)[]>,
): Promise<Logged[]> {
  return stoppingAtFaults(ctx, async () => {
    const log = await lockLog(ctx, tx)
    const builders = await plan()
    if (builders.length === 0) return []
    const { size, signer } = log.head
    const takePlace = createPlaces(ctx, log)
    const entries = builders.map((build, at) => build(takePlace(size + at)))
    return writeEntries(ctx, tx, log, entries, signer)
  })
}

/**
 * Gives entries their places. Each entry's time is at or after that of the entry before it.
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

/** Whatever finds the log untrue stops it on every instance. */
export async function stoppingAtFaults<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LogFault) await stopLog(ctx, error.message)
    throw error
  }
}

/**
 * The key that the log names; before the first key list the usual one.
 * @throws Refusal log_stopped when it is not held here
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
 * Writes entries that every verifier accepts. The caller holds the head's lock.
 * @param signer who signs what comes after these entries
 */
export async function writeEntries(
  ctx: Context,
  tx: Tx,
  log: LockedLog,
  entries: readonly Entry[],
  signer: Address | null,
): Promise<Logged[]> {
  const old = log.head
  await assertVerifiable(ctx, tx, log, entries)
  const { head, leafHashes, nodes } = extendHead(old, entries, signer)
  if (!(await store.insertEntries(tx, old.size, entries, leafHashes, log.clocks.databaseAt))) {
    throw new LogFault(`The head of the log is damaged: it says ${old.size} entries, but another number is stored`)
  }
  ctx.failpoint('append: after entries')
  await store.insertNodes(tx, nodes)
  ctx.failpoint('append: after nodes')
  if (!(await store.moveHead(tx, old.size, head))) {
    throw new LogFault(`The head of the log moved away from size ${old.size} under our lock`)
  }
  ctx.failpoint('append: after head')
  return leafHashes.map((leafHash, at) => ({ index: old.size + at, leafHash }))
}
