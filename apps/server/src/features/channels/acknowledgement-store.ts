import { and, desc, eq, gt, inArray, isNull, or } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { alertAcknowledgements, channelDeliveries, destinations } from '../../db/schema/channels.ts'

type Acknowledgement = typeof alertAcknowledgements.$inferSelect

const isOf = ({ accountId, logIndex }: Pick<Acknowledgement, 'accountId' | 'logIndex'>) =>
  and(eq(alertAcknowledgements.accountId, accountId), eq(alertAcknowledgements.logIndex, logIndex))

/** @returns the time of the first acknowledgement */
export async function insertAcknowledgement(tx: Tx, row: Acknowledgement): Promise<Date> {
  await tx.insert(alertAcknowledgements).values(row).onConflictDoNothing()
  return (await findAcknowledgement(tx, row)) ?? row.at
}

export async function findAcknowledgement(
  tx: Queryable,
  acknowledgement: Pick<Acknowledgement, 'accountId' | 'logIndex'>,
): Promise<Date | null> {
  const [row] = await tx.select().from(alertAcknowledgements).where(isOf(acknowledgement))
  return row?.at ?? null
}

/** Returns the account's acknowledgements since a time, newest first. */
export function listAcknowledgements(tx: Queryable, accountId: string, since: Date): Promise<Acknowledgement[]> {
  return tx
    .select()
    .from(alertAcknowledgements)
    .where(and(eq(alertAcknowledgements.accountId, accountId), gt(alertAcknowledgements.at, since)))
    .orderBy(desc(alertAcknowledgements.at))
    .limit(1_000)
}

/**
 * Skips the account's waiting escalation steps of an alert, and the deliveries of the alert that
 * are held for a digest. A digest that has started is not changed, because it contains other alerts
 * too. A delivery that the owner has requested is not changed either.
 */
export async function skipAcknowledged(tx: Tx, accountId: string, logIndex: number, reason: string): Promise<void> {
  const ownDestinations = tx
    .select({ id: destinations.id })
    .from(destinations)
    .where(eq(destinations.accountId, accountId))
  await tx
    .update(channelDeliveries)
    .set({ state: 'skipped', reason })
    .where(
      and(
        eq(channelDeliveries.logIndex, logIndex),
        eq(channelDeliveries.event, 'alert'),
        isNull(channelDeliveries.digestId),
        or(
          and(
            eq(channelDeliveries.isEscalation, true),
            eq(channelDeliveries.isRedelivery, false),
            eq(channelDeliveries.state, 'waiting'),
          ),
          eq(channelDeliveries.state, 'held'),
        ),
        inArray(channelDeliveries.destinationId, ownDestinations),
      ),
    )
}
