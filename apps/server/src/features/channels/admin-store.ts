import type { AdminChannelKind } from '@tocsin/protocol'
import { destinationKinds } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { channelDeliveries, destinations } from '../../db/schema/channels.ts'

type Row = Omit<AdminChannelKind, 'oldestDueAt'> & { oldestDueAt: Date | null }

/** The figures of each kind, also of kinds that are not used. Contains nothing of a destination. */
export async function readChannelFigures(tx: Queryable, now: Date, since: { hour: Date; day: Date }): Promise<Row[]> {
  const { kind, state: destinationState, id } = destinations
  const { destinationId, state, nextAt, createdAt, deliveredAt, attempts } = channelDeliveries
  const number = (condition: ReturnType<typeof sql>) => sql`count(*) filter (where ${condition})`.mapWith(Number)
  const ofDay = sql`${createdAt} > ${since.day.toISOString()}`
  const ofHour = sql`${createdAt} > ${since.hour.toISOString()}`
  const isDue = sql`${state} = 'waiting' and ${nextAt} <= ${now.toISOString()} and ${destinationState} = 'on'`
  const delayMs = sql`extract(epoch from ${deliveredAt} - ${createdAt}) * 1000`
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
  const rows = await tx
    .select({
      kind,
      waiting: number(sql`${state} = 'waiting'`),
      due: number(isDue),
      oldestDueAt: sql<Date | null>`min(${nextAt}) filter (where ${isDue})`.mapWith(nextAt),
      deliveredLastHour: number(sql`${state} = 'delivered' and ${ofHour}`),
      failedLastHour: number(sql`${state} = 'dead' and ${ofHour}`),
      deliveredLastDay: number(sql`${state} = 'delivered' and ${ofDay}`),
      failedLastDay: number(sql`${state} = 'dead' and ${ofDay}`),
      attemptsLastDay: sql`coalesce(sum(${attempts}) filter (where ${ofDay}), 0)`.mapWith(Number),
      medianDelayMs: sql<number | null>`percentile_cont(0.5) within group (order by ${delayMs})
        filter (where ${state} = 'delivered' and ${ofDay})`,
    })
    .from(channelDeliveries)
    .innerJoin(destinations, sql`${id} = ${destinationId}`)
    .where(sql`${ofDay} or ${state} = 'waiting'`)
    .groupBy(kind)
  return destinationKinds.map((each) => {
    const { kind: _kind, ...byState } = counts.find((count) => count.kind === each) ?? { kind: each, ...noDestination }
    const row = rows.find((found) => found.kind === each)
    const medianDelayMs = row?.medianDelayMs ?? null
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
