import { and, asc, eq, inArray, isNull, lt, lte, ne, notInArray, or, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { channelDeliveries, destinations } from '../../db/schema/channels.ts'
import type { ChannelDeliveryRow } from './store.ts'

const { id, destinationId, event, state, nextAt, digestId, attempts, isRedelivery, rank, mayHaveArrived } =
  channelDeliveries

/**
 * Matches held rows that are not in a digest yet. A held row is a delivery that waits for a digest.
 */
const isHeld = and(eq(state, 'held'), isNull(digestId))

/** Returns the destinations that are on and have a digest due. */
export async function listDigestsDue(tx: Queryable, now: Date): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ destinationId })
    .from(channelDeliveries)
    .innerJoin(destinations, eq(destinations.id, destinationId))
    .where(
      and(
        isHeld,
        lte(nextAt, now),
        eq(destinations.state, 'on'),
        or(isNull(destinations.notBefore), lte(destinations.notBefore, now)),
      ),
    )
  return rows.map((row) => row.destinationId)
}

/** Returns the held rows that are due, oldest first. Callers must lock the destination. */
export function listHeldDue(
  tx: Tx,
  destination: string,
  now: Date,
  limit: number,
): Promise<{ id: number; mayHaveArrived: boolean }[]> {
  return tx
    .select({ id, mayHaveArrived })
    .from(channelDeliveries)
    .where(and(eq(destinationId, destination), isHeld, lte(nextAt, now)))
    .orderBy(asc(id))
    .limit(limit)
}

/** Postpones the held rows that are due. */
export async function postponeHeld(tx: Tx, destination: string, now: Date, until: Date): Promise<void> {
  await tx
    .update(channelDeliveries)
    .set({ nextAt: until })
    .where(and(eq(destinationId, destination), isHeld, lte(nextAt, now)))
}

/** Makes held rows due at a time, if they are not due earlier. */
export async function releaseHeld(tx: Tx, destination: string, at: Date): Promise<void> {
  await tx
    .update(channelDeliveries)
    .set({ nextAt: sql`least(${nextAt}, ${at.toISOString()})` })
    .where(and(eq(destinationId, destination), isHeld))
}

/**
 * Puts the rows `ids` in one digest. The row `carrierId`, one of these rows, carries its message.
 */
export async function startDigest(tx: Tx, ids: number[], carrierId: number, now: Date): Promise<void> {
  await tx.update(channelDeliveries).set({ digestId: carrierId }).where(inArray(id, ids))
  const reason = ids.length === 1 ? 'Waits to be sent as a digest' : `Waits to be sent as a digest of ${ids.length}`
  await tx.update(channelDeliveries).set({ state: 'waiting', reason, nextAt: now }).where(eq(id, carrierId))
}

/** Returns the rows of a digest in order, including the row that carries its message. */
export function listDigestRows(tx: Queryable, carrierId: number): Promise<ChannelDeliveryRow[]> {
  return tx.select().from(channelDeliveries).where(eq(digestId, carrierId)).orderBy(asc(id))
}

/**
 * Changes all rows of a digest. A row whose redelivery the owner has requested is no longer in the
 * digest, so it is not changed.
 */
export async function updateDigest(
  tx: Queryable,
  carrierId: number,
  change: Partial<ChannelDeliveryRow>,
): Promise<void> {
  await tx.update(channelDeliveries).set(change).where(eq(digestId, carrierId))
}

/**
 * Records that a digest was delivered although the row that carried it is no longer in it. The
 * owner has requested a redelivery of that row during the request. Skips rows that the owner has
 * requested again. Callers must lock the destination.
 * @param ids of the rows that the digest contained
 */
export async function recordFormerDigest(
  tx: Tx,
  digest: number | null,
  ids: number[],
  change: Partial<ChannelDeliveryRow>,
): Promise<void> {
  await tx
    .update(channelDeliveries)
    .set({ ...change, digestId: digest })
    .where(and(inArray(id, ids), inArray(state, ['waiting', 'held']), eq(isRedelivery, false)))
  // If one of these rows carries a new digest, that digest is not sent: its other rows are held for
  // the next one.
  await tx
    .update(channelDeliveries)
    .set({ digestId: null })
    .where(and(inArray(digestId, ids), eq(state, 'held')))
}

/**
 * Holds alerts and outcomes for a digest if no attempt was made within the maximum age of their
 * rank (`limitsMs`) after they became due.
 */
export async function holdOldDeliveries(
  tx: Queryable,
  { now, reason, exceptIds, limitsMs }: { now: Date; reason: string; exceptIds: number[]; limitsMs: number[] },
): Promise<void> {
  const msBefore = (ms: number) => new Date(now.getTime() - ms)
  const isOld = limitsMs.map((ms, priorityRank) => and(eq(rank, priorityRank), lt(nextAt, msBefore(ms))))
  await tx
    .update(channelDeliveries)
    .set({ state: 'held', reason, nextAt: now })
    .where(
      and(
        eq(state, 'waiting'),
        eq(attempts, 0),
        eq(isRedelivery, false),
        ne(event, 'anchored'),
        isNull(digestId),
        lt(nextAt, msBefore(Math.min(...limitsMs))),
        or(...isOld),
        exceptIds.length > 0 ? notInArray(id, exceptIds) : undefined,
      ),
    )
}
