import type { ChannelDelivery, DeliveryEvent, DestinationKind } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import {
  and,
  arrayContains,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  lt,
  lte,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { prepareSelect } from '../../db/prepared.ts'
import { accounts, activities } from '../../db/schema/accounts.ts'
import { alerts } from '../../db/schema/alerts.ts'
import { channelAttempts, channelCursor, channelDeliveries, destinations } from '../../db/schema/channels.ts'
import { hasFactorCondition } from '../sessions/factor-condition.ts'
import type { TargetState } from './rules.ts'

export type Destination = typeof destinations.$inferSelect
export type ChannelDeliveryRow = typeof channelDeliveries.$inferSelect
export type NewChannelDelivery = Pick<
  ChannelDeliveryRow,
  'destinationId' | 'logIndex' | 'event' | 'seq' | 'rank' | 'state' | 'reason' | 'createdAt' | 'nextAt'
> & { isEscalation?: boolean }

export type NewAttempt = typeof channelAttempts.$inferInsert
export type DueChannelDelivery = Pick<
  ChannelDeliveryRow,
  | 'id'
  | 'destinationId'
  | 'seq'
  | 'logIndex'
  | 'event'
  | 'rank'
  | 'createdAt'
  | 'attempts'
  | 'isRedelivery'
  | 'digestId'
  | 'isEscalation'
  | 'mayHaveArrived'
> &
  Pick<Destination, 'accountId' | 'kind' | 'host'>
/** The result of an attempt. */
export type Result = Pick<
  ChannelDeliveryRow,
  'id' | 'state' | 'reason' | 'attempts' | 'nextAt' | 'deliveredAt' | 'tookMs' | 'mayHaveArrived'
>

export function listDestinations(tx: Queryable, accountId: string): Promise<Destination[]> {
  return tx
    .select()
    .from(destinations)
    .where(eq(destinations.accountId, accountId))
    .orderBy(asc(destinations.createdAt), asc(destinations.id))
}

/**
 * Moves the cursor past all deliveries if no destination exists. This is one statement, so that it
 * does not skip a delivery that is committed after the first destination.
 * @returns true if no destination exists
 */
export async function skipWithoutDestinations(tx: Queryable): Promise<boolean> {
  const { rows } = await tx.execute<{ isEmpty: boolean }>(sql`
    with empty as (select not exists (select from destinations) as "isEmpty"), moved as (
      insert into channel_cursor (id, seq)
      select 1, coalesce((select max(seq) from deliveries), 0) from empty where "isEmpty"
      on conflict (id) do update set seq = excluded.seq where channel_cursor.seq < excluded.seq)
    select "isEmpty" from empty`)
  return rows[0]?.isEmpty ?? false
}

/** Returns all confirmed destinations that still exist at the receiving service. */
export function listConfirmed(tx: Queryable) {
  return tx
    .select({
      id: destinations.id,
      accountId: destinations.accountId,
      state: destinations.state,
      events: destinations.events,
      mutedUntil: destinations.mutedUntil,
      rules: destinations.rules,
      quietHours: destinations.quietHours,
      digest: destinations.digest,
      escalationStep: destinations.escalationStep,
      noPlanAt: destinations.noPlanAt,
    })
    .from(destinations)
    .where(notInArray(destinations.state, ['unconfirmed', 'gone']))
}

/**
 * Saves when the last delivery was recorded as skipped because the account has no plan. At most one
 * such delivery is recorded per destination and hour. Destinations that other transactions have
 * locked are not updated, to avoid a deadlock; a second delivery may then be recorded in that hour.
 */
export async function saveNoPlanAt(tx: Tx, ids: string[], noPlanAt: Date): Promise<void> {
  const unlockedDestinations = tx
    .select({ id: destinations.id })
    .from(destinations)
    .where(sql`${destinations.id} = any(${sql.param(ids)}::uuid[])`)
    .for('no key update', { skipLocked: true })
  await tx.update(destinations).set({ noPlanAt }).where(inArray(destinations.id, unlockedDestinations))
}

export function listSealed(tx: Queryable) {
  return tx.select({ id: destinations.id, sealed: destinations.sealed }).from(destinations)
}

export function countDestinations(tx: Tx, accountId: string): Promise<number> {
  return tx.$count(destinations, eq(destinations.accountId, accountId))
}

export async function findDestination(tx: Queryable, accountId: string, id: string): Promise<Destination | undefined> {
  const [row] = await tx
    .select()
    .from(destinations)
    .where(and(eq(destinations.id, id), eq(destinations.accountId, accountId)))
  return row
}

/** Locks and returns the destination that a code confirms. */
export async function lockByCode(tx: Tx, codeHash: string, now: Date): Promise<Destination | undefined> {
  const [row] = await tx
    .select()
    .from(destinations)
    .where(and(eq(destinations.codeHash, codeHash), gt(destinations.codeUntil, now)))
    .for('no key update')
  return row
}

export async function readDestinations(tx: Queryable, ids: string[]): Promise<Map<string, Destination>> {
  return new Map((await selectDestinations(tx, { ids })).map((row) => [row.id, row]))
}

const selectDestinations = prepareSelect<Destination[], { ids: string[] }>('channel_destinations', (tx) =>
  tx
    .select()
    .from(destinations)
    .where(sql`${destinations.id} = any(${sql.placeholder('ids')}::uuid[])`),
)

/**
 * Locks destinations and all others of their accounts, which may get notices about them, until the
 * transaction ends. Lock them before their deliveries. A transaction that locks several
 * destinations must lock them in the order of their ids, because two orders can deadlock.
 */
export async function lockDestinations(tx: Tx, ids: string[]): Promise<Map<string, Destination>> {
  const accountIds = tx
    .select({ accountId: destinations.accountId })
    .from(destinations)
    .where(inArray(destinations.id, ids))
  const rows = await lockInOrder(tx, inArray(destinations.accountId, accountIds))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Locks the destinations of the account until the transaction ends. Returns them oldest first. */
export async function lockAccountDestinations(tx: Tx, accountId: string): Promise<Destination[]> {
  const rows = await lockInOrder(tx, eq(destinations.accountId, accountId))
  return rows.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}

function lockInOrder(tx: Tx, condition: SQL): Promise<Destination[]> {
  return tx.select().from(destinations).where(condition).orderBy(asc(destinations.id)).for('no key update')
}

/** Locks the destination until the transaction ends. Lock it before its deliveries. */
export async function lockDestination(tx: Tx, id: string): Promise<Destination | undefined> {
  const [row] = await tx.select().from(destinations).where(eq(destinations.id, id)).for('no key update')
  return row
}

/** Counts the destinations of other accounts with this address that wait for an emailed code. */
export function countCodesTo(tx: Tx, address: string, accountId: string, now: Date): Promise<number> {
  const isWaiting = and(eq(destinations.kind, 'email'), gt(destinations.codeUntil, now))
  const isSame = eq(sql`lower(${destinations.host})`, address.toLowerCase())
  return tx.$count(destinations, and(isWaiting, isSame, ne(destinations.accountId, accountId)))
}

export async function insertDestination(tx: Tx, row: typeof destinations.$inferInsert): Promise<Destination> {
  const [inserted] = await tx.insert(destinations).values(row).returning()
  if (!inserted) throw new Error('The destination was not inserted')
  return inserted
}

export async function updateDestination(tx: Queryable, id: string, change: Partial<Destination>): Promise<void> {
  await tx.update(destinations).set(change).where(eq(destinations.id, id))
}

/**
 * Stores secrets that were derived from `formerSealed`. A destination whose secrets were changed
 * since `formerSealed` was read keeps the changed ones.
 */
export async function replaceSealed(
  tx: Queryable,
  id: string,
  formerSealed: string,
  sealedText: string,
): Promise<void> {
  const isUnchanged = and(eq(destinations.id, id), eq(destinations.sealed, formerSealed))
  await tx.update(destinations).set({ sealed: sealedText }).where(isUnchanged)
}

/** Sends nothing to the destination before `until`. Does not shorten a longer pause. */
export async function extendPause(tx: Queryable, id: string, until: Date): Promise<void> {
  const notBefore = sql`greatest(${destinations.notBefore}, ${until.toISOString()}::timestamptz)`
  await tx.update(destinations).set({ notBefore }).where(eq(destinations.id, id))
}

export async function deleteDestination(tx: Tx, id: string): Promise<void> {
  await tx.delete(destinations).where(eq(destinations.id, id))
}

/**
 * Counts the tests and confirmations of the account, including those of destinations that it has
 * deleted since.
 */
export function countTestsSince(tx: Tx, accountId: string, since: Date): Promise<number> {
  const isTest = and(eq(activities.accountId, accountId), eq(activities.kind, 'channel_tested'))
  return tx.$count(activities, and(isTest, gt(activities.at, since)))
}

export async function findAccountAccess(tx: Queryable, accountIds: string[]) {
  return new Map((await selectAccountAccess(tx, { accountIds })).map((row) => [row.id, row]))
}

type AccountAccess = Pick<typeof accounts.$inferSelect, 'id' | 'role' | 'suspendedAt' | 'email'> & {
  hasFactor: boolean
}
const selectAccountAccess = prepareSelect<AccountAccess[], { accountIds: string[] }>('channel_roles', (tx) =>
  tx
    .select({
      id: accounts.id,
      role: accounts.role,
      suspendedAt: accounts.suspendedAt,
      email: accounts.email,
      hasFactor: hasFactorCondition,
    })
    .from(accounts)
    .where(sql`${accounts.id} = any(${sql.placeholder('accountIds')}::uuid[])`),
)

/** Locks and returns the cursor of the delivery ledger, or null before the first start. */
export async function lockCursor(tx: Tx): Promise<{ seq: number; anchoredSize: number | null } | null> {
  const [row] = await tx.select().from(channelCursor).where(eq(channelCursor.id, 1)).for('update')
  return row ?? null
}

export async function saveCursor(tx: Tx, seq: number): Promise<void> {
  await tx.insert(channelCursor).values({ id: 1, seq }).onConflictDoUpdate({ target: channelCursor.id, set: { seq } })
}

export async function saveAnchoredSize(tx: Tx, anchoredSize: number): Promise<void> {
  await tx.update(channelCursor).set({ anchoredSize }).where(eq(channelCursor.id, 1))
}

/**
 * Returns the deliveries of alerts with a log index from `from` up to, not including, `to`, in all
 * states except skipped, to destinations for which messages about anchors are enabled.
 */
export function listToAnnounce(tx: Tx, from: number, to: number) {
  const { destinationId, logIndex, seq, event, state, digestId, isEscalation, attempts } = channelDeliveries
  return tx
    .select({
      destinationId,
      logIndex,
      seq,
      /** True if the alert is sent in a digest, or waits for one. */
      isInDigest: sql<boolean>`${state} = 'held' or ${digestId} is not null`,
      /** True if the alert waits for a later escalation step, which an acknowledgement cancels. */
      isLaterStep: sql<boolean>`${isEscalation} and ${state} = 'waiting' and ${attempts} = 0`,
      state: destinations.state,
      mutedUntil: destinations.mutedUntil,
      quietHours: destinations.quietHours,
    })
    .from(channelDeliveries)
    .innerJoin(destinations, eq(destinations.id, destinationId))
    .where(
      and(
        arrayContains(destinations.events, ['anchored']),
        eq(event, 'alert'),
        ne(state, 'skipped'),
        gte(logIndex, from),
        lt(logIndex, to),
      ),
    )
}

/**
 * Returns, for each destination, the alerts that were queued after its time `at` and were sent or
 * wait to be sent. Excludes corrections, retractions and alerts in digests.
 * @param seq the last delivery to include
 */
export async function listSentSince(tx: Queryable, since: { id: string; at: Date }[], seq: number) {
  if (since.length === 0) return []
  const ids = sql.param(since.map(({ id }) => id))
  const times = sql.param(since.map(({ at }) => at.toISOString()))
  return tx
    .select({
      destinationId: channelDeliveries.destinationId,
      at: channelDeliveries.createdAt,
      asset: alerts.asset,
      anomalyType: alerts.anomalyType,
    })
    .from(channelDeliveries)
    .innerJoin(
      sql`unnest(${ids}::uuid[], ${times}::timestamptz[]) as given (id, since)`,
      sql`given.id = ${channelDeliveries.destinationId} and ${channelDeliveries.createdAt} > given.since`,
    )
    .innerJoin(alerts, eq(alerts.logIndex, channelDeliveries.logIndex))
    .where(
      and(
        lte(channelDeliveries.seq, seq),
        // Exclude messages about anchors, which have the log index of their alert.
        eq(channelDeliveries.event, 'alert'),
        eq(alerts.kind, 'alert'),
        inArray(channelDeliveries.state, ['waiting', 'delivered']),
        isNull(channelDeliveries.digestId),
      ),
    )
}

/**
 * Returns the destinations to which these log entries were or will be sent. `held` means that an
 * entry waits for a digest. An entry that was replaced by a newer version counts as sent, because
 * the newer version is sent instead.
 * @param to includes only this destination; all destinations if undefined
 */
export function listTargets(tx: Queryable, indexes: number[], to?: string) {
  const { destinationId, logIndex, event, state, reason } = channelDeliveries
  return tx
    .select({
      destinationId,
      logIndex,
      target: sql<TargetState>`case when ${state} = 'held' then 'held' else 'sent' end`,
    })
    .from(channelDeliveries)
    .where(
      and(
        inArray(logIndex, indexes),
        to === undefined ? undefined : eq(destinationId, to),
        eq(event, 'alert'),
        or(inArray(state, ['waiting', 'delivered', 'held']), like(reason, `${REPLACED_BY}%`)),
      ),
    )
}

/**
 * Returns the destinations that are on, do not wait for their `notBefore`, are not muted, and have
 * an unsent notice.
 */
export function listNotices(tx: Queryable, now: Date): Promise<Destination[]> {
  return tx
    .select()
    .from(destinations)
    .where(
      and(
        isNotNull(destinations.notice),
        eq(destinations.state, 'on'),
        or(isNull(destinations.notBefore), lte(destinations.notBefore, now)),
        or(isNull(destinations.mutedUntil), lte(destinations.mutedUntil, now)),
      ),
    )
}

/**
 * Inserts rows and leaves existing ones unchanged, so an alert that is broadcast again is not sent
 * again. An alert goes to many destinations, so rows that differ only in the destination are passed
 * to PostgreSQL as one record.
 */
export async function insertDeliveries(tx: Queryable, rows: NewChannelDelivery[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 10_000) await insertTogether(tx, rows.slice(from, from + 10_000))
}

async function insertTogether(tx: Queryable, rows: NewChannelDelivery[]): Promise<void> {
  const groups = new Map<string, { destinationIds: string[] }>()
  for (const { destinationId, ...common } of rows) {
    const key = JSON.stringify(common)
    const group = groups.get(key) ?? { ...common, destinationIds: [] }
    group.destinationIds.push(destinationId)
    groups.set(key, group)
  }
  await tx.execute(sql`
    insert into channel_deliveries (destination_id, log_index, event, seq, rank, state, reason, created_at, next_at,
      is_escalation)
    select destinations.id, "logIndex", event, seq, rank, given.state, reason, "createdAt", "nextAt",
      coalesce("isEscalation", false)
    from jsonb_to_recordset(${JSON.stringify([...groups.values()])}::jsonb) as given ("destinationIds" uuid[],
      "logIndex" bigint, event text, seq bigint, rank integer, state text, reason text, "createdAt" timestamptz,
      "nextAt" timestamptz, "isEscalation" boolean),
      unnest("destinationIds") as destination_id
      -- A destination that is deleted at this moment would violate the foreign key.
      join destinations on destinations.id = destination_id
    for key share of destinations
    on conflict do nothing`)
}

/**
 * Returns the deliveries that are due: the most urgent first, then the oldest, at most
 * `perDestination` of each destination.
 */
export function listDue(
  tx: Queryable,
  now: Date,
  excludedRows: { deliveries: number[]; destinations: string[]; hosts: string[]; kinds: DestinationKind[] },
  perDestination: number,
  limit: number,
): Promise<DueChannelDelivery[]> {
  return selectDue(tx, { ...excludedRows, now: now.toISOString(), perDestination, limit })
}

/**
 * Reads the first rows of each destination in index order, so the duration depends on the number of
 * destinations with waiting rows, not on the number of waiting rows.
 */
const selectDue = prepareSelect<DueChannelDelivery[], Record<string, unknown>>(undefined, (tx) => {
  const { id, destinationId, nextAt, state, rank, createdAt } = channelDeliveries
  const now = sql`${sql.placeholder('now')}::timestamptz`
  const dueDeliveries = tx
    .select()
    .from(channelDeliveries)
    .where(
      and(
        eq(destinationId, destinations.id),
        eq(state, 'waiting'),
        sql`${nextAt} <= ${now}`,
        sql`${id} <> all(${sql.placeholder('deliveries')}::bigint[])`,
      ),
    )
    // Without NULLS LAST, the order differs from the index, and PostgreSQL sorts all waiting rows.
    .orderBy(sql`${rank} desc nulls last`, asc(createdAt), asc(id))
    .limit(sql.placeholder('perDestination'))
    .as('due')
  const { accountId, kind, host, notBefore } = destinations
  return tx
    .select({
      id: dueDeliveries.id,
      destinationId: dueDeliveries.destinationId,
      seq: dueDeliveries.seq,
      logIndex: dueDeliveries.logIndex,
      event: dueDeliveries.event,
      rank: dueDeliveries.rank,
      createdAt: dueDeliveries.createdAt,
      attempts: dueDeliveries.attempts,
      isRedelivery: dueDeliveries.isRedelivery,
      digestId: dueDeliveries.digestId,
      isEscalation: dueDeliveries.isEscalation,
      mayHaveArrived: dueDeliveries.mayHaveArrived,
      accountId,
      kind,
      host,
    })
    .from(destinations)
    .innerJoinLateral(dueDeliveries, sql`true`)
    .where(
      and(
        sql`${destinations.id} in (${selectWithWaiting})`,
        sql`${destinations.id} <> all(${sql.placeholder('destinations')}::uuid[])`,
        eq(destinations.state, 'on'),
        or(isNull(notBefore), sql`${notBefore} <= ${now}`),
        sql`${kind} <> all(${sql.placeholder('kinds')}::text[])`,
        sql`${host} <> all(${sql.placeholder('hosts')}::text[])`,
      ),
    )
    .orderBy(desc(dueDeliveries.rank), asc(dueDeliveries.createdAt), asc(dueDeliveries.id))
    .limit(sql.placeholder('limit'))
})

/** Selects the destinations with waiting rows, with one index lookup for each of them. */
const selectWithWaiting = sql`
  with recursive found(id) as (
    (select destination_id from channel_deliveries where state = 'waiting' order by destination_id limit 1)
    union all
    select (select destination_id from channel_deliveries where state = 'waiting' and destination_id > found.id
      order by destination_id limit 1)
    from found where found.id is not null)
  select id from found where id is not null`

/**
 * Marks deliveries as possibly received. Call this before a request starts, because its response
 * may never be recorded.
 */
export async function markStarted(tx: Queryable, ids: number[]): Promise<void> {
  await setMayHaveArrived(tx, ids, true)
}

/** Undoes `markStarted` for deliveries whose request did not start. */
export async function unmarkStarted(tx: Tx, ids: number[]): Promise<void> {
  await setMayHaveArrived(tx, ids, false)
}

async function setMayHaveArrived(tx: Queryable, ids: number[], isPossible: boolean): Promise<void> {
  const { id, mayHaveArrived } = channelDeliveries
  const lockedDeliveries = tx
    .select({ id })
    .from(channelDeliveries)
    .where(and(inArray(id, ids), eq(mayHaveArrived, !isPossible)))
    .orderBy(asc(id))
    .for('update')
  await tx.update(channelDeliveries).set({ mayHaveArrived: isPossible }).where(inArray(id, lockedDeliveries))
}

export async function isSent(tx: Queryable, to: string, index: number): Promise<boolean> {
  const { destinationId, logIndex, event, state } = channelDeliveries
  const isSame = and(eq(destinationId, to), eq(logIndex, index), eq(event, 'alert'))
  return (await tx.$count(channelDeliveries, and(isSame, inArray(state, ['waiting', 'delivered'])))) > 0
}

export async function listProbesDue(
  tx: Queryable,
  now: Date,
  excludedKinds: DestinationKind[],
): Promise<Destination[]> {
  return tx
    .select()
    .from(destinations)
    .where(
      and(
        eq(destinations.state, 'failing'),
        or(isNull(destinations.notBefore), lte(destinations.notBefore, now)),
        excludedKinds.length > 0 ? notInArray(destinations.kind, excludedKinds) : undefined,
      ),
    )
}

/** Locks and returns the deliveries that are still waiting. */
export async function lockWaiting(tx: Tx, ids: number[]): Promise<Map<number, ChannelDeliveryRow>> {
  const rows = await tx
    .select()
    .from(channelDeliveries)
    .where(and(inArray(channelDeliveries.id, ids), eq(channelDeliveries.state, 'waiting')))
    .orderBy(asc(channelDeliveries.id))
    .for('update')
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Changes a delivery as it was read. Does nothing if it is no longer waiting or has become a
 * redelivery since.
 */
export async function updateWaiting(
  tx: Queryable,
  { id, isRedelivery }: Pick<ChannelDeliveryRow, 'id' | 'isRedelivery'>,
  change: Partial<ChannelDeliveryRow>,
): Promise<void> {
  const isUnchanged = and(eq(channelDeliveries.state, 'waiting'), eq(channelDeliveries.isRedelivery, isRedelivery))
  await tx
    .update(channelDeliveries)
    .set(change)
    .where(and(eq(channelDeliveries.id, id), isUnchanged))
}

/** Writes the results of many deliveries with one statement. */
export async function updateResults(tx: Tx, results: readonly Result[]): Promise<void> {
  if (results.length === 0) return
  await tx.execute(sql`
    update channel_deliveries set state = result.state, reason = result.reason, attempts = result.attempts,
      next_at = result."nextAt", delivered_at = result."deliveredAt", took_ms = result."tookMs",
      may_have_arrived = result."mayHaveArrived"
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as result (id bigint, state text, reason text,
      attempts integer, "nextAt" timestamptz, "deliveredAt" timestamptz, "tookMs" integer, "mayHaveArrived" boolean)
    where channel_deliveries.id = result.id`)
}

/**
 * Records successful attempts with one statement that locks no destination. Skips digests,
 * deliveries that are no longer waiting, and deliveries to destinations that have failed since
 * their last success.
 * @returns the recorded deliveries: the kind of the destination by delivery id
 */
export async function recordDelivered(
  tx: Queryable,
  delivered: readonly (Pick<NewAttempt, 'status' | 'tookMs' | 'response'> &
    Pick<ChannelDeliveryRow, 'id' | 'reason'>)[],
  at: Date,
): Promise<Map<number, DestinationKind>> {
  if (delivered.length === 0) return new Map()
  const ids = delivered.map(({ id }) => id)
  const { rows } = await tx.execute<{ id: string; kind: DestinationKind }>(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(delivered)}::jsonb)
        as given (id bigint, status integer, "tookMs" integer, response text, reason text)
    ), locked as materialized (
      select id, destination_id from channel_deliveries
      where id = any (${sql.param(ids)}) and state = 'waiting' and digest_id is null
      order by id for update
    ), ready as materialized (
      select locked.id, kind from locked join destinations on destinations.id = destination_id
      where failing_since is null
    ), saved as (
      update channel_deliveries set state = 'delivered', reason = given.reason, attempts = attempts + 1,
        delivered_at = ${at.toISOString()}, took_ms = given."tookMs"
      from given join ready using (id) where channel_deliveries.id = given.id
    ), tried as (
      insert into channel_attempts (delivery_id, at, status, took_ms, response)
      select id, ${at.toISOString()}, status, "tookMs", response from given join ready using (id)
    )
    select id, kind from ready`)
  return new Map(rows.map(({ id, kind }) => [Number(id), kind]))
}

export async function insertAttempts(tx: Tx, rows: NewAttempt[]): Promise<void> {
  if (rows.length > 0) await tx.insert(channelAttempts).values(rows)
}

/** Ends all waiting and held deliveries of a destination that no longer gets alerts. */
export async function endQueuedDeliveries(tx: Tx, destinationId: string, reason: string): Promise<void> {
  await tx
    .update(channelDeliveries)
    .set({ state: 'dead', reason })
    .where(
      and(eq(channelDeliveries.destinationId, destinationId), inArray(channelDeliveries.state, ['waiting', 'held'])),
    )
}

/**
 * Skips the queued deliveries of failing destinations that were created before `before`. They count
 * as missed, so their owner can send them again if the destination resumes.
 */
export async function skipForFailing(tx: Queryable, before: Date, now: Date, exceptIds: number[]): Promise<void> {
  const { id, state, createdAt, nextAt, destinationId } = channelDeliveries
  const failingDestinations = tx
    .select({ id: destinations.id })
    .from(destinations)
    .where(eq(destinations.state, 'failing'))
  await tx
    .update(channelDeliveries)
    .set({ state: 'skipped', reason: describeDestinationState('failing'), digestId: null })
    .where(
      and(
        inArray(state, ['waiting', 'held']),
        lt(createdAt, before),
        // Excludes deliveries that are held back by a mute that ends later.
        lte(nextAt, now),
        inArray(destinationId, failingDestinations),
        exceptIds.length > 0 ? notInArray(id, exceptIds) : undefined,
      ),
    )
}

/**
 * Longest time from the start of a request until its result is recorded. Rows of a digest whose
 * request may be running wait for this time before they are sent in a new digest.
 */
const LONGEST_REQUEST_MS = 2 * MINUTE_MS

export interface RedeliverySelection {
  index: number
  andLater?: boolean | undefined
  event?: DeliveryEvent | undefined
}

/** @returns the number of deliveries that are due again */
export async function requeueDeliveries(
  tx: Tx,
  destinationId: string,
  selection: RedeliverySelection,
  now: Date,
): Promise<number> {
  const { logIndex, state, reason, event, isEscalation, attempts } = channelDeliveries
  // An escalation step that was not tried yet is not missed: an acknowledgement may cancel it.
  const isMissed = or(
    and(eq(state, 'waiting'), or(eq(isEscalation, false), gt(attempts, 0))),
    eq(state, 'dead'),
    inArray(reason, missedReasons),
  )
  const condition = selection.andLater ? and(gte(logIndex, selection.index), isMissed) : eq(logIndex, selection.index)
  const rows = await tx
    .update(channelDeliveries)
    .set({ state: 'waiting', reason: 'Requested again', attempts: 0, nextAt: now, isRedelivery: true, digestId: null })
    .where(
      and(
        eq(channelDeliveries.destinationId, destinationId),
        condition,
        selection.event === undefined ? undefined : eq(event, selection.event),
      ),
    )
    .returning({ id: channelDeliveries.id, mayHaveArrived: channelDeliveries.mayHaveArrived })
  const ids = rows.map(({ id }) => id)
  const isInDigestOf = (senders: number[]) => and(inArray(channelDeliveries.digestId, senders), eq(state, 'held'))
  const startedIds = rows.flatMap(({ id, mayHaveArrived }) => (mayHaveArrived ? [id] : []))
  if (startedIds.length > 0) {
    const nextAt = new Date(now.getTime() + LONGEST_REQUEST_MS)
    await tx.update(channelDeliveries).set({ nextAt }).where(isInDigestOf(startedIds))
  }
  // A requeued row may have represented a digest. The other rows of that digest then wait for a new
  // digest.
  if (ids.length > 0) await tx.update(channelDeliveries).set({ digestId: null }).where(isInDigestOf(ids))
  return ids.length
}

/** @returns how many rows were deleted, at most `maxRows` */
export async function deleteLedgerBefore(tx: Queryable, before: Date, maxRows: number): Promise<number> {
  const endedDeliveries = tx
    .select({ id: channelDeliveries.id })
    .from(channelDeliveries)
    .where(and(lt(channelDeliveries.createdAt, before), notInArray(channelDeliveries.state, ['waiting', 'held'])))
    .limit(maxRows)
  const { rowCount } = await tx.delete(channelDeliveries).where(inArray(channelDeliveries.id, endedDeliveries))
  return rowCount ?? 0
}

const PAGE = 50

const shownStates: Record<'open' | 'skipped', ChannelDeliveryRow['state'][]> = {
  open: ['waiting', 'dead'],
  skipped: ['held', 'skipped'],
}

/** Returns the rows of a destination, newest first, each with its attempts in order. */
export async function listLedger(
  tx: Queryable,
  destinationId: string,
  { show = 'all', before }: { show?: 'all' | 'open' | 'skipped' | undefined; before?: number | undefined },
) {
  const rows = await tx
    .select()
    .from(channelDeliveries)
    .where(
      and(
        eq(channelDeliveries.destinationId, destinationId),
        show === 'all' ? undefined : inArray(channelDeliveries.state, shownStates[show]),
        before === undefined ? undefined : lt(channelDeliveries.id, before),
      ),
    )
    .orderBy(desc(channelDeliveries.id))
    .limit(PAGE)
  const ids = rows.map(({ id }) => id)
  const attempts =
    ids.length === 0
      ? []
      : await tx
          .select()
          .from(channelAttempts)
          .where(inArray(channelAttempts.deliveryId, ids))
          .orderBy(asc(channelAttempts.id))
  return rows.map((row) => ({ ...row, tries: attempts.filter(({ deliveryId }) => deliveryId === row.id) }))
}

export interface Health {
  lastDeliveredAt: Date | null
  medianMs: number | null
  counts: Record<ChannelDelivery['state'], number>
  missed: { missed: number; missedFrom: number | null }
}

/**
 * Returns the reason that is recorded if nothing was sent because the destination was in this
 * state.
 */
export function describeDestinationState(state: Destination['state']): string {
  return `The destination was ${state}`
}

/** Start of the reason of a replaced entry. The log index of the newer version follows. */
export const REPLACED_BY = 'Replaced by #'

/** Reasons of rows that were skipped although the rules of the destination allow the alert. */
const missedReasons = (['paused', 'failing'] as const).map(describeDestinationState)

/** Returns the health of each destination. The figures count deliveries created after `since`. */
export async function readHealth(tx: Queryable, ids: string[], since: Date): Promise<Map<string, Health>> {
  const { destinationId, logIndex, deliveredAt, tookMs, state, reason, createdAt } = channelDeliveries
  const count = (countedState: ChannelDeliveryRow['state']) =>
    sql`count(*) filter (where ${state} = ${countedState} and ${createdAt} > ${since.toISOString()})`.mapWith(Number)
  const median = sql<number | null>`percentile_cont(0.5) within group (order by ${tookMs})
    filter (where ${state} = 'delivered' and ${createdAt} > ${since.toISOString()})`
  const isMissed = sql`${state} = 'skipped' and ${reason} = ${describeDestinationState('failing')} and ${createdAt} > ${since.toISOString()}`
  const rows = await tx
    .select({
      destinationId,
      lastDeliveredAt: sql<Date | null>`max(${deliveredAt})`.mapWith(deliveredAt),
      medianMs: median,
      delivered: count('delivered'),
      waiting: count('waiting'),
      held: count('held'),
      skipped: count('skipped'),
      dead: count('dead'),
      missed: sql`count(*) filter (where ${isMissed})`.mapWith(Number),
      missedFrom: sql<number | null>`min(${logIndex}) filter (where ${isMissed})`,
    })
    .from(channelDeliveries)
    .where(inArray(destinationId, ids))
    .groupBy(destinationId)
  return new Map(
    rows.map(({ destinationId: id, lastDeliveredAt, medianMs, missed, missedFrom, ...counts }) => [
      id,
      {
        lastDeliveredAt,
        medianMs: medianMs === null ? null : Number(medianMs),
        counts,
        missed: { missed, missedFrom: missedFrom === null ? null : Number(missedFrom) },
      },
    ]),
  )
}
