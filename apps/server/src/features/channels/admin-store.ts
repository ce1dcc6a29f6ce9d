import type { AdminChannelKind } from '@tocsin/protocol'
import { destinationKinds } from '@tocsin/protocol'
import { type AnyColumn, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { channelDeliveries, destinations } from '../../db/schema/channels.ts'

/** The median delay is that of so many newest deliveries of the last day. */
const MEDIAN_OF_NEWEST = 20_000

type Row = Omit<AdminChannelKind, 'oldestDueAt'> & { oldestDueAt: Date | null }

/** The figures of each kind, also of kinds that are not used. Contains nothing of a destination. */
export async function readChannelFigures(tx: Queryable, now: Date, since: { hour: Date; day: Date }): Promise<Row[]> {
  const { kind, state: destinationState, id } = destinations
  const { destinationId, state, nextAt, createdAt, deliveredAt, attempts } = channelDeliveries
  const number = (condition: ReturnType<typeof sql>) => sql`count(*) filter (where ${condition})`.mapWith(Number)
  const ofDay = sql`${createdAt} > ${since.day.toISOString()}`
  const ofHour = sql`${createdAt} > ${since.hour.toISOString()}`
  const isDue = sql`${state} = 'waiting' and ${nextAt} <= ${now.toISOString()}`
  const counts = await tx
    .select({
      kind,
      on: number(sql`${destinationState} = 'on'`),
      paused: number(sql`${destinationState} = 'paused'`),
      failing: number(sql`${destinationState} = 'failing'`),
      gone: number(sql`${destinationState} = 'gone'`),
      unconfirmed: number(sql`${destinationState} = 'unconfirmed'`),
    })
    .from(destinations)
    .groupBy(kind)
  // Grouped by destination before the join: a destination has many rows.
  const byDestination = tx
    .select({
      destinationId,
      waiting: number(sql`${state} = 'waiting'`).as('waiting'),
      due: number(isDue).as('due'),
      oldestDueAt: sql<Date | null>`min(${nextAt}) filter (where ${isDue})`.mapWith(nextAt).as('oldest_due_at'),
      deliveredLastHour: number(sql`${state} = 'delivered' and ${ofHour}`).as('delivered_hour'),
      failedLastHour: number(sql`${state} = 'dead' and ${ofHour}`).as('failed_hour'),
      deliveredLastDay: number(sql`${state} = 'delivered' and ${ofDay}`).as('delivered_day'),
      failedLastDay: number(sql`${state} = 'dead' and ${ofDay}`).as('failed_day'),
      attemptsLastDay: sql`coalesce(sum(${attempts}) filter (where ${ofDay}), 0)`.mapWith(Number).as('attempts_day'),
    })
    .from(channelDeliveries)
    .where(sql`${ofDay} or ${state} = 'waiting'`)
    .groupBy(destinationId)
    .as('by_destination')
  const sum = (column: SQL.Aliased | AnyColumn) => sql`sum(${column})`.mapWith(Number)
  const isOn = sql`${destinationState} = 'on'`
  const rows = await tx
    .select({
      kind,
      waiting: sum(byDestination.waiting),
      due: sql`coalesce(sum(${byDestination.due}) filter (where ${isOn}), 0)`.mapWith(Number),
      oldestDueAt: sql<Date | null>`min(${byDestination.oldestDueAt}) filter (where ${isOn})`.mapWith(nextAt),
      deliveredLastHour: sum(byDestination.deliveredLastHour),
      failedLastHour: sum(byDestination.failedLastHour),
      deliveredLastDay: sum(byDestination.deliveredLastDay),
      failedLastDay: sum(byDestination.failedLastDay),
      attemptsLastDay: sum(byDestination.attemptsLastDay),
    })
    .from(byDestination)
    .innerJoin(destinations, eq(id, byDestination.destinationId))
    .groupBy(kind)
  const newest = tx
    .select({
      destinationId,
      delayMs: sql<number>`extract(epoch from ${deliveredAt} - ${createdAt}) * 1000`.as('delay_ms'),
    })
    .from(channelDeliveries)
    .where(sql`${state} = 'delivered' and ${ofDay}`)
    .orderBy(desc(createdAt))
    .limit(MEDIAN_OF_NEWEST)
    .as('newest')
  const medians = await tx
    .select({ kind, medianDelayMs: sql<number>`percentile_cont(0.5) within group (order by ${newest.delayMs})` })
    .from(newest)
    .innerJoin(destinations, eq(id, newest.destinationId))
    .groupBy(kind)
  return destinationKinds.map((each) => {
    const { kind: _kind, ...byState } = counts.find((count) => count.kind === each) ?? { kind: each, ...noDestination }
    const row = rows.find((found) => found.kind === each)
    const medianDelayMs = medians.find((median) => median.kind === each)?.medianDelayMs ?? null
    return {
      ...nothing,
      ...row,
      kind: each,
      destinations: byState,
      medianDelayMs: medianDelayMs === null ? null : Math.round(Number(medianDelayMs)),
    }
  })
}

const noDestination = { on: 0, paused: 0, failing: 0, gone: 0, unconfirmed: 0 }
const nothing = {
  waiting: 0,
  due: 0,
  oldestDueAt: null,
  deliveredLastHour: 0,
  failedLastHour: 0,
  deliveredLastDay: 0,
  failedLastDay: 0,
  attemptsLastDay: 0,
}
