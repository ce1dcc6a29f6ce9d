import { decodeStatement, type NewestTime, type SigningKey } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { type ClockReading, readClocksAfterLock } from './entry-time.ts'
import { type Head, LogFault, parseHead } from './log.ts'
import * as store from './store.ts'
import { findNewestTime } from './tail.ts'

/** The state that the next entry depends on, read while no other transaction can append. */
export interface LockedLog {
  head: Head
  /** The key windows of the newest key list, null before the first one. */
  keys: readonly SigningKey[] | null
  /** The latest createdAt in the log. */
  newestTime: NewestTime | null
  /**
   * Index of the first alert, correction or retraction of version 2 (with a salt), or null. No such
   * entry of version 1 may follow it.
   */
  firstSalted: number | null
  clocks: ClockReading
}

/**
 * Locks the log until the transaction ends.
 * @throws Refusal log_stopped
 */
export async function lockLog(ctx: Context, tx: Tx): Promise<LockedLog> {
  const { log } = await lockLogAndRead(ctx, tx, async () => {})
  return log
}

/**
 * Like `lockLog`, but also runs the queries of `read`. They are sent right after the statement that
 * takes the lock, so they need no separate round trip, and their results stay valid until the
 * transaction ends.
 * @param read is called again if the log had no head yet
 */
export async function lockLogAndRead<T>(
  ctx: Context,
  tx: Tx,
  read: () => Promise<T>,
): Promise<{ log: LockedLog; found: T }> {
  const headLock = store.selectHeadForUpdate(tx)
  const [lockedHead, tail, clocks, readResult] = await Promise.all([
    headLock,
    store.findTail(tx),
    readClocksAfterLock(ctx, tx, headLock),
    read(),
  ])
  if (!lockedHead) {
    await store.createHead(tx)
    return lockLogAndRead(ctx, tx, read)
  }
  const { stopReason } = tail
  ctx.failpoint('append: after lock')
  if (stopReason !== null) throw new Refusal('log_stopped', `The log is stopped: ${stopReason}`)
  const log = {
    head: parseHead(lockedHead),
    keys: readKeys(tail.keyList),
    newestTime: findNewestTime(tail),
    firstSalted: lockedHead.saltedFrom,
    clocks,
  }
  return { log, found: readResult }
}

/** @throws LogFault if the entry is not a key list */
export function readKeys(keyList: store.Tail['keyList']): SigningKey[] | null {
  if (!keyList) return null
  const statement = decodeStatement(keyList.bytes)
  if (statement.kind !== 'keys') throw new LogFault(`Entry ${keyList.index} is not a key list`)
  return statement.keys
}
