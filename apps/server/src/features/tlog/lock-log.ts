import { decodeStatement, type NewestTime, type SigningKey } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { type ClockReading, readClocksBehind } from './entry-time.ts'
import { type Head, LogFault, parseHead } from './log.ts'
import * as store from './store.ts'
import { findNewestTime } from './tail.ts'

/** The state that the next entry must follow from, read while no other transaction can append. */
export interface LockedLog {
  head: Head
  /** The key windows of the newest key list, null before the first one. */
  keys: readonly SigningKey[] | null
  /** The latest createdAt in the log. */
  newest: NewestTime | null
  /** An entry of version 2, or null. No entry of version 1 may follow it. */
  firstSalted: number | null
  clocks: ClockReading
}

/**
 * Locks the log until the transaction ends.
 * @param read sends further reads that need the lock, without waiting for it; may be called again
 * @throws Refusal log_stopped
 */
export async function lockLog(ctx: Context, tx: Tx, read?: () => Promise<unknown>): Promise<LockedLog> {
  const locking = store.selectLockedHead(tx)
  const [locked, tail, clocks] = await Promise.all([
    locking,
    store.findTail(tx),
    readClocksBehind(ctx, tx, locking),
    read?.(),
  ])
  if (!locked) {
    await store.createHead(tx)
    return lockLog(ctx, tx, read)
  }
  const { row, stopReason } = locked
  ctx.failpoint('append: after lock')
  if (stopReason !== null) throw new Refusal('log_stopped', `The log is stopped: ${stopReason}`)
  return {
    head: parseHead(row),
    keys: readKeys(tail),
    newest: findNewestTime(tail),
    firstSalted: row.saltedFrom,
    clocks,
  }
}

function readKeys({ keyList }: store.Tail): SigningKey[] | null {
  if (!keyList) return null
  const statement = decodeStatement(keyList.bytes)
  if (statement.kind !== 'keys') throw new LogFault(`Entry ${keyList.index} is not a key list`)
  return statement.keys
}
