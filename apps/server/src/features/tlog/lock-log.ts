import { decodeStatement, type NewestTime, type SigningKey } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { type ClockReading, readClocks } from './entry-time.ts'
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
 * @throws Refusal log_stopped
 */
export async function lockLog(ctx: Context, tx: Tx): Promise<LockedLog> {
  const { row, stopReason } = await store.lockHead(tx)
  ctx.failpoint('append: after lock')
  if (stopReason !== null) throw new Refusal('log_stopped', `The log is stopped: ${stopReason}`)
  const head = parseHead(row)
  const tail = await store.findTail(tx)
  return {
    head,
    keys: readKeys(tail),
    newest: findNewestTime(tail),
    firstSalted: row.saltedFrom,
    clocks: await readClocks(ctx, tx),
  }
}

function readKeys({ keyList }: store.Tail): SigningKey[] | null {
  if (!keyList) return null
  const statement = decodeStatement(keyList.bytes)
  if (statement.kind !== 'keys') throw new LogFault(`Entry ${keyList.index} is not a key list`)
  return statement.keys
}
