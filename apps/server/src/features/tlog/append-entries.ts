import type { Address } from '@tocsin/proof'
import type { Context, Signer } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { type Entry, extendHead, type Head, LogFault, parseHead } from './log.ts'
import { stopLog } from './stop-log.ts'
import * as store from './store.ts'

/** Where an entry will be, and the key that the log names for it: what is signed with both is final. */
export interface Place {
  index: number
  signer: Signer
}

export interface Logged {
  index: number
  leafHash: Uint8Array
}

/**
 * Appends entries in the caller's transaction: they are logged exactly if that transaction commits. `plan` is called once, under
 * the lock of the log's head, and decides what is appended; each of its builders then gets the place of its entry.
 * @throws Refusal log_stopped
 */
export async function appendEntries(
  ctx: Context,
  tx: Tx,
  plan: () => Promise<readonly ((place: Place) => Entry)[]>,
): Promise<Logged[]> {
  return stoppingAtFaults(ctx, async () => {
    const old = await lockLog(ctx, tx)
    const builders = await plan()
    if (builders.length === 0) return []
    const signer = getSigner(ctx, old.signer)
    const entries = builders.map((build, at) => build({ index: old.size + at, signer }))
    return writeEntries(ctx, tx, old, entries, old.signer)
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

/** @throws Refusal log_stopped */
export async function lockLog(ctx: Context, tx: Tx): Promise<Head> {
  const { row, stopReason } = await store.lockHead(tx)
  ctx.failpoint('append: after lock')
  if (stopReason !== null) throw new Refusal('log_stopped', `The log is stopped: ${stopReason}`)
  return parseHead(row)
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

/** Under the head's lock. @param signer who signs what comes after these entries */
export async function writeEntries(
  ctx: Context,
  tx: Tx,
  old: Head,
  entries: readonly Entry[],
  signer: Address | null,
): Promise<Logged[]> {
  const { head, leafHashes, nodes } = extendHead(old, entries, signer)
  if (!(await store.insertEntries(tx, old.size, entries, leafHashes, ctx.clock.now()))) {
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
