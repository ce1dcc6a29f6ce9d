import type { AdminChannelKind } from '@tocsin/protocol'
import { destinationKinds } from '@tocsin/protocol'
import { desc, eq, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { channelDeliveries, destinations } from '../../db/schema/channels.ts'

/** Number of newest deliveries of the last day from which the median delay is computed. */
const MAX_MEDIAN_DELIVERIES = 20_000

type Row = Omit<AdminChannelKind, 'oldestDueAt'> & { oldestDueAt: Date | null }

/**
 * Returns the figures of each kind of destination, including unused kinds. The result does not
 * identify single destinations.
 */
export async function readChannelFigures(tx: Queryable, now: Date, since: { hour: Date; day: Date }): Promise<Row[]> {
  const { kind, state: destinationState, id } = destinations
  const { destinationId, state, nextAt, createdAt, deliveredAt, attempts } = channelDeliveries
  const countMatching = (condition: ReturnType<typeof sql>) => sql`count(*) filter (where ${condition})`.mapWith(Number)
  const isOfLastDay = sql`${createdAt} > ${since.day.toISOString()}`
  const isOfLastHour = sql`${createdAt} > ${since.hour.toISOString()}`
  const isDue = sql`${state} = 'waiting' and ${nextAt} <= ${now.toISOString()}`
  const counts = await tx
    .select({
      kind,
      on: countMatching(sql`${destinationState} = 'on'`),
      paused: countMatching(sql`${destinationState} = 'paused'`),
      failing: countMatching(sql`${destinationState} = 'failing'`),
      gone: countMatching(sql`${destinationState} = 'gone'`),
      unconfirmed: countMatching(sql`${destinationState} = 'unconfirmed'`),
    })
    .from(destinations)
    .groupBy(kind)
  // Groups the rows before the join, because a destination has many rows. Counts each combination
  // of values in one scan, which costs less than a filtered count for each figure.
  const groups = tx
    .select({
      destinationId,
      state: sql`${state}`.as('group_state'),
      isOfHour: sql<boolean>`${isOfLastHour}`.as('is_of_hour'),
      isOfDay: sql<boolean>`${isOfLastDay}`.as('is_of_day'),
      isDue: sql<boolean>`${isDue}`.as('is_due'),
      count: sql`count(*)`.as('group_count'),
      attempts: sql`sum(${attempts})`.as('group_attempts'),
      oldestAt: sql`min(${nextAt})`.as('oldest_at'),
    })
    .from(channelDeliveries)
    .where(sql`${isOfLastDay} or ${state} = 'waiting'`)
    .groupBy(destinationId, sql`2`, sql`3`, sql`4`, sql`5`)
    .as('groups')
  const isOn = sql<boolean>`${destinationState} = 'on'`
  const rows = await tx
    .select({
      kind,
      state: sql<typeof channelDeliveries.$inferSelect.state>`${groups.state}`,
      isOfHour: groups.isOfHour,
      isOfDay: groups.isOfDay,
      isDue: sql<boolean>`${groups.isDue} and ${isOn}`,
      count: sql`sum(${groups.count})`.mapWith(Number),
      attempts: sql`sum(${groups.attempts})`.mapWith(Number),
      oldestAt: sql<Date>`min(${groups.oldestAt})`.mapWith(nextAt),
    })
    .from(groups)
    .innerJoin(destinations, eq(id, groups.destinationId))
    .groupBy(sql`1`, sql`2`, sql`3`, sql`4`, sql`5`)
  const newestDeliveries = tx
    .select({
      destinationId,
      delayMs: sql<number>`extract(epoch from ${deliveredAt} - ${createdAt}) * 1000`.as('delay_ms'),
    })
    .from(channelDeliveries)
    .where(sql`${state} = 'delivered' and ${isOfLastDay}`)
    .orderBy(desc(createdAt))
    .limit(MAX_MEDIAN_DELIVERIES)
    .as('newest')
  const medians = await tx
    .select({
      kind,
      medianDelayMs: sql<number>`percentile_cont(0.5) within group (order by ${newestDeliveries.delayMs})`,
    })
    .from(newestDeliveries)
    .innerJoin(destinations, eq(id, newestDeliveries.destinationId))
    .groupBy(kind)
  return destinationKinds.map((destinationKind) => {
    const { kind: _kind, ...byState } = counts.find((count) => count.kind === destinationKind) ?? {
      kind: destinationKind,
      ...zeroCounts,
    }
    const rowsOfKind = rows.filter((row) => row.kind === destinationKind)
    const sum = (isIncluded: (row: (typeof rows)[number]) => boolean) =>
      rowsOfKind.reduce((total, row) => (isIncluded(row) ? total + row.count : total), 0)
    const dueTimes = rowsOfKind.flatMap((row) => (row.isDue ? [row.oldestAt.getTime()] : []))
    const medianDelayMs = medians.find((median) => median.kind === destinationKind)?.medianDelayMs ?? null
    return {
      kind: destinationKind,
      destinations: byState,
      waiting: sum((row) => row.state === 'waiting'),
      due: sum((row) => row.isDue),
      oldestDueAt: dueTimes.length === 0 ? null : new Date(Math.min(...dueTimes)),
      deliveredLastHour: sum((row) => row.state === 'delivered' && row.isOfHour),
      failedLastHour: sum((row) => row.state === 'dead' && row.isOfHour),
      deliveredLastDay: sum((row) => row.state === 'delivered' && row.isOfDay),
      failedLastDay: sum((row) => row.state === 'dead' && row.isOfDay),
      attemptsLastDay: rowsOfKind.reduce((total, row) => (row.isOfDay ? total + row.attempts : total), 0),
      medianDelayMs: medianDelayMs === null ? null : Math.round(Number(medianDelayMs)),
    }
  })
}

const zeroCounts = { on: 0, paused: 0, failing: 0, gone: 0, unconfirmed: 0 }
