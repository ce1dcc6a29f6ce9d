import type { ChannelDelivery } from '@tocsin/protocol'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { alertOutcomes, alerts } from '../../db/schema/alerts.ts'
import { channelDeliveries } from '../../db/schema/channels.ts'
import { createReadableCondition, type ReadAccess } from '../access/readable.ts'

/**
 * Returns the alerts of deliveries by delivery id. Omits alerts that the reader may not read in
 * full now.
 * @param ids of deliveries
 */
export async function listDeliveryAlerts(
  tx: Queryable,
  access: ReadAccess,
  ids: number[],
): Promise<Map<number, NonNullable<ChannelDelivery['alert']>>> {
  if (ids.length === 0) return new Map()
  const { logIndex, asset, anomalyType, priority } = alerts
  const rows = await tx
    .select({ id: channelDeliveries.id, alert: { logIndex, asset, anomalyType, priority } })
    .from(channelDeliveries)
    .leftJoin(alertOutcomes, eq(alertOutcomes.logIndex, channelDeliveries.logIndex))
    .innerJoin(alerts, eq(logIndex, sql`coalesce(${alertOutcomes.targetIndex}, ${channelDeliveries.logIndex})`))
    .where(and(inArray(channelDeliveries.id, ids), createReadableCondition(access)))
  return new Map(rows.map(({ id, alert }) => [id, alert]))
}
