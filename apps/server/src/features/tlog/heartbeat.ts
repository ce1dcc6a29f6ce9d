import type { HeartbeatStatement } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { appendEntries } from './append-entries.ts'
import { type Head, signStatement } from './log.ts'
import { getProofDomain } from './proof-domain.ts'
import * as store from './store.ts'

/** Returns true if a fully anchored log has been quiet for so long that it needs a heartbeat. */
function isHeartbeatDue(newestEntryAt: Date | null, now: Date, heartbeatSeconds: number): boolean {
  // The time is null only if the entry is not stored. A setting of 0 disables heartbeats.
  if (newestEntryAt === null || heartbeatSeconds === 0) return false
  return now.getTime() - newestEntryAt.getTime() >= heartbeatSeconds * 1000
}

/**
 * Appends a heartbeat if nothing was logged for a long time, so that the log is anchored again.
 * Call it only while every entry is anchored: during an outage of the anchor chain, heartbeats
 * would fill the log and prove nothing.
 * @returns true if a heartbeat was appended
 */
export async function appendHeartbeatWhenQuiet(
  ctx: Context,
  { size, signer }: Pick<Head, 'size' | 'signer'>,
): Promise<boolean> {
  // The server appends a key list when it starts, so a log without one needs no heartbeat.
  if (size === 0 || signer === null) return false
  const newestEntryAt = await store.findEntryTime(ctx.db, size - 1)
  if (!isHeartbeatDue(newestEntryAt, ctx.clock.now(), ctx.config.anchor.heartbeatSeconds)) return false
  const logged = await ctx.db.transaction((tx) =>
    appendEntries(ctx, tx, async () => {
      // Another entry may have been appended before this lock was taken.
      if ((await store.findHead(tx)).size > size) return []
      return [
        (position) => {
          const statement: HeartbeatStatement = {
            kind: 'heartbeat',
            index: position.index,
            createdAt: position.decideTime().toISOString(),
            signer: position.signer.address,
          }
          return signStatement(statement, getProofDomain(ctx), position.signer)
        },
      ]
    }),
  )
  return logged.length > 0
}
