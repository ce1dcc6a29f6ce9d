import type {
  AlertStatus,
  Forecast,
  Hex,
  PendingCounts,
  PublicCounts,
  RecordStatement,
  RecordTable,
  Verdict,
} from '@tocsin/proof'
import { DAY_MS } from '@tocsin/protocol/durations'
import { eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { alertOutcomes, alertSignals, alerts, recordAlerts } from '../../db/schema/alerts.ts'

/** Determines which entries are public in the record of an origin as of an anchor. */
export interface RecordView {
  origin: 'feed' | 'demo'
  size: number
  /** Alerts that were issued after this time are not public. */
  publicCutoff: Date
  /** All entries with a lower index are public. */
  firstHiddenIndex: number
  /**
   * Entries with a lower index that are not public have been withheld for longer than the rules
   * allow.
   */
  withheldBelow: number
}

/** @param delayMs the public delay */
export async function findView(
  tx: Queryable,
  { origin, size, blockAt }: { origin: 'feed' | 'demo'; size: number; blockAt: Date },
  delayMs: number,
): Promise<RecordView> {
  const publicCutoff = new Date(blockAt.getTime() - delayMs)
  // `+ 0` prevents the planner from scanning the index of the log from its start.
  const { rows } = await tx.execute<{ young: number | null; withheld: number | null }>(sql`
    select
      (select min(log_index + 0)::float8 from alerts where created_at > ${publicCutoff}) as young,
      (select max(size)::float8 from anchors where block_at < ${new Date(publicCutoff.getTime() - DAY_MS)}
        and size <= ${size}) as withheld`)
  const { young, withheld } = rows[0] ?? { young: null, withheld: null }
  return { origin, size, publicCutoff, firstHiddenIndex: Math.min(young ?? size, size), withheldBelow: withheld ?? 0 }
}

const isPublic = ({ origin, publicCutoff, size }: RecordView) => sql`
  a.kind = 'alert' and a.origin in (${origin}, 'admin') and a.created_at <= ${publicCutoff} and a.log_index < ${size}`

/**
 * Selects the entries whose content is not public: alerts, corrections and retractions of any
 * origin, and the outcomes of such alerts.
 */
const createHiddenEntriesSql = ({ publicCutoff, size, firstHiddenIndex }: RecordView) => sql`
  select a.log_index from alerts a
    where a.log_index >= ${firstHiddenIndex} and a.log_index < ${size} and a.created_at > ${publicCutoff}
  union all
  select o.log_index from alert_outcomes o join alerts t on t.log_index = o.target_index and t.kind = 'alert'
    where o.log_index >= ${firstHiddenIndex} and o.log_index < ${size} and t.created_at > ${publicCutoff}`

/** A row of the record. Fields are null if the content is not public. */
export interface RecordRow extends Record<string, unknown> {
  index: number
  anchoredMs: number | null
  statement: (Omit<RecordStatement, 'createdAt'> & { createdMs: number; signalHash: Hex | null }) | null
  isRepeated: boolean
  hasMessage: boolean
  forecast: Forecast | null
  /** The alert's first outcome, with the block times of the anchors before and after its entry. */
  outcome: {
    index: number
    createdMs: number
    verdict: Verdict
    measured: string | null
    previousMs: number | null
    anchoredMs: number | null
  } | null
  /** The results that earlier computations have stored, or null. */
  stored: StoredResult | null
  leafHash: Hex
}

/** The results for an alert that record computations store. */
export interface StoredResult {
  status: AlertStatus
  isFirstOfEpisode: boolean
  outcomeIndex: number | null
  anchoredMs: number | null
  problem: string | null
  isWitnessed: boolean
  isTimeProven: boolean
  controlsKey: string | null
  controlMinutes: number | null
  controlsCameTrue: number | null
}

const toEpochMs = (column: SQL) => sql`(extract(epoch from ${column}) * 1000)::float8`

/** Selects the block time of the first anchor that covers an entry. */
const createFirstAnchorSql = (
  { size }: RecordView,
  index: SQL,
) => sql`(select ${toEpochMs(sql`n.block_at`)} from anchors n
  where n.size > ${index} and n.size <= ${size} order by n.size limit 1)`

/** @param entries query that returns rows with `log_index` */
async function readRows(tx: Queryable, view: RecordView, entries: SQL, order: SQL): Promise<RecordRow[]> {
  const { rows } = await tx.execute<RecordRow>(sql`
    select e.log_index::float8 as index, '0x' || encode(l.leaf_hash, 'hex') as "leafHash",
      ${createFirstAnchorSql(view, sql`e.log_index`)} as "anchoredMs",
      case when a.id is not null then json_build_object('id', a.id, 'asset', a.asset, 'priority', a.priority,
        'anomalyType', a.anomaly_type, 'regime', a.regime, 'summary', a.summary, 'confidence', a.confidence,
        'origin', a.origin, 'createdMs', ${toEpochMs(sql`a.created_at`)}, 'signalHash', a.signal_hash) end as statement,
      a.signal_hash is not null and exists (select from alerts b where b.signal_hash = a.signal_hash
        and b.log_index < a.log_index and b.kind = 'alert' and b.created_at <= ${view.publicCutoff}) as "isRepeated",
      s.alert_id is not null as "hasMessage", p.forecast,
      case when o.log_index is not null then json_build_object('index', o.log_index,
        'createdMs', ${toEpochMs(sql`o.created_at`)}, 'verdict', o.verdict, 'measured', o.measured,
        'anchoredMs', ${createFirstAnchorSql(view, sql`o.log_index`)}, 'previousMs', (select ${toEpochMs(sql`n.block_at`)} from anchors n
          where n.size <= o.log_index order by n.size desc limit 1)) end as outcome,
      case when r.log_index is not null then json_build_object('status', r.status,
        'isFirstOfEpisode', r.is_first_of_episode, 'outcomeIndex', r.outcome_index, 'anchoredMs', r.anchored_ms,
        'problem', r.problem, 'isWitnessed', r.is_witnessed, 'isTimeProven', r.is_time_proven, 'controlsKey', r.controls_key,
        'controlMinutes', r.control_minutes, 'controlsCameTrue', r.controls_came_true) end as stored
    from (${entries}) e
    join log_entries l on l.index = e.log_index
    left join alerts a on a.log_index = e.log_index and ${isPublic(view)}
    left join alert_signals s on s.alert_id = a.id
    left join alert_predictions p on p.log_index = a.log_index
    left join lateral (select * from alert_outcomes x where x.target_index = a.log_index and x.log_index < ${view.size}
      order by x.log_index limit 1) o on true
    left join record_alerts r on r.log_index = a.log_index
    order by ${order}`)
  return rows
}

/**
 * Returns the next entries of the record in ascending index order: public alerts with a prediction,
 * the alerts in `withoutMessage`, and withheld entries.
 * @param withoutMessage indexes of alerts whose message is or was missing
 */
export function listCountedRows(
  tx: Queryable,
  recordView: RecordView,
  { from, limit, withoutMessage }: { from: number; limit: number; withoutMessage: readonly number[] },
): Promise<RecordRow[]> {
  const first = (list: SQL) => sql`(select * from (${list}) f where log_index >= ${from} order by 1 limit ${limit})`
  // Restrict the index in both tables, because a merge join would otherwise read the second table
  // from its start.
  const predictedQuery = sql`select p.log_index from alert_predictions p join alerts a using (log_index)
    where a.origin = ${recordView.origin} and a.created_at <= ${recordView.publicCutoff} and p.log_index >= ${from}
      and a.log_index >= ${from} and p.log_index < ${recordView.size}`
  const namedQuery = sql`select unnest(${sql.param(withoutMessage.slice(0, limit))}::bigint[]) as log_index`
  const withheldQuery = createHiddenEntriesSql({
    ...recordView,
    size: Math.min(recordView.size, recordView.withheldBelow),
  })
  const indexesQuery = sql`${first(predictedQuery)} union ${first(namedQuery)} union ${first(withheldQuery)} order by 1 limit ${limit}`
  return readRows(tx, recordView, indexesQuery, sql`1`)
}

/**
 * Counts the pending alerts in the database, because a busy site has too many of them to read their
 * rows for each anchor.
 * @param fromIndex index of the first alert of the recent record
 */
export async function countPending(tx: Queryable, view: RecordView, fromIndex: number): Promise<PendingCounts> {
  const { rows } = await tx.execute<Record<keyof PendingCounts, number>>(sql`
    select count(*)::float8 as "all", (count(*) filter (where log_index >= ${fromIndex}))::float8 as recent
    from (${createHiddenEntriesSql(view)}) h where log_index >= ${view.withheldBelow}`)
  return rows[0] ?? { all: 0, recent: 0 }
}

/** Selects alerts of the record, and entries whose content is not public. */
export interface Selection {
  /** Selects public alerts, by `a` (alerts), `r` (record_alerts) and `p` (alert_predictions). */
  isShown: SQL
  /** Returns true if non-public entries with this status are selected. */
  isHiddenShown(status: AlertStatus): boolean
}

/** Returns the selected alerts below an index, newest first. */
export function listSelectedRows(
  tx: Queryable,
  view: RecordView,
  { isShown, isHiddenShown }: Selection,
  { before, limit }: { before: number; limit: number },
): Promise<RecordRow[]> {
  const shownAlerts = sql`select a.log_index from alerts a
    left join record_alerts r on r.log_index = a.log_index and r.log_index < ${before}
    left join alert_predictions p on p.log_index = a.log_index and p.log_index < ${before}
    where ${isPublic(view)} and a.log_index < ${before} and ${isShown}`
  const selectHidden = sql`select h.log_index from (${createHiddenEntriesSql(view)}) h where h.log_index < ${before}
    and case when h.log_index < ${view.withheldBelow} then ${isHiddenShown('withheld')}::boolean
      else ${isHiddenShown('pending')}::boolean end`
  const selectNewest = (list: SQL) => sql`(${list} order by 1 desc limit ${limit})`
  const entries = sql`${selectNewest(shownAlerts)} union all ${selectNewest(selectHidden)} order by 1 desc limit ${limit}`
  return readRows(tx, view, entries, sql`1 desc`)
}

export type Messages = Awaited<ReturnType<typeof listMessages>>[number]

/** Returns the messages that are needed to judge outcomes. `index` is that of the alert. */
export async function listMessages(tx: Queryable, indexes: readonly { index: number; outcomeIndex: number }[]) {
  if (indexes.length === 0) return []
  const { logIndex, message, messageHash } = alertOutcomes
  return tx
    .select({
      index: alerts.logIndex,
      signalHash: sql<Hex>`${alerts.signalHash}`,
      signal: alertSignals.message,
      message,
      messageHash: sql<Hex>`${messageHash}`,
    })
    .from(alertOutcomes)
    .innerJoin(alerts, eq(alerts.logIndex, alertOutcomes.targetIndex))
    .innerJoin(alertSignals, eq(alertSignals.alertId, alerts.id))
    .where(
      inArray(
        logIndex,
        indexes.map(({ outcomeIndex }) => outcomeIndex),
      ),
    )
}

export async function saveResults(
  tx: Queryable,
  rows: readonly (StoredResult & { logIndex: number })[],
): Promise<void> {
  if (rows.length === 0) return
  const { logIndex: _key, ...columns } = getTableColumns(recordAlerts)
  const changedColumns = Object.fromEntries(
    Object.entries(columns).map(([field, { name }]) => [field, sql`excluded.${sql.identifier(name)}`]),
  )
  await tx
    .insert(recordAlerts)
    .values([...rows])
    .onConflictDoUpdate({ target: recordAlerts.logIndex, set: changedColumns })
}

type Range = { from: number; until: number }

/** Counts the public alerts of a range of the log. */
export async function countPublic(tx: Queryable, view: RecordView, { from, until }: Range): Promise<CountRow[]> {
  const { rows } = await tx.execute<CountRow & Record<string, unknown>>(sql`
    select case when grouping(anomaly_type) = 0 then 'type' when grouping(asset) = 0 then 'asset'
        when grouping(priority) = 0 then 'priority' when grouping(regime) = 0 then 'regime'
        when grouping(month) = 0 then 'month' end as table,
      origin, coalesce(anomaly_type, asset, priority, regime, month) as key, count(*)::float8 as count,
      min(log_index)::float8 as first
    from (select *, to_char(created_at at time zone 'UTC', 'YYYY-MM') as month from alerts a
      where ${isPublic(view)} and a.log_index >= ${from} and a.log_index < ${until}) of_range
    group by grouping sets ((origin), (origin, anomaly_type), (origin, asset), (origin, priority), (origin, regime),
      (origin, month))`)
  return rows
}

/**
 * Number of public alerts in one row of a record table, and the lowest index of these alerts.
 * `table` and `key` are null for the total of an origin.
 */
export interface CountRow {
  table: RecordTable | null
  origin: 'feed' | 'demo' | 'admin'
  key: string | null
  count: number
  first: number
}

/**
 * Returns the index of the first public alert issued since a time, and the number of public alerts
 * from this one on.
 */
export async function findRecent(
  tx: Queryable,
  view: RecordView,
  since: Date,
): Promise<{ fromIndex: number; count: PublicCounts['recent'] }> {
  const firstIndex = sql`select min(a.log_index + 0) from alerts a where ${isPublic(view)} and a.created_at >= ${since}`
  const { rows } = await tx.execute<{ first: number; count: number }>(sql`
    with f as (select coalesce((${firstIndex}), ${view.size}) as first)
    select f.first::float8, (select count(*)::float8 from alerts a where ${isPublic(view)} and a.log_index >= f.first) as count
    from f`)
  const { first: fromIndex, count } = rows[0] ?? { first: view.size, count: 0 }
  return { fromIndex, count }
}

/** Returns the alerts of a range of the log whose message is missing. */
export async function listWithoutMessage(
  tx: Queryable,
  { origin }: RecordView,
  { from, until }: Range,
): Promise<number[]> {
  const { rows } = await tx.execute<{ index: number }>(sql`
    select log_index::float8 as index from alerts a
    where kind = 'alert' and origin = ${origin} and signal_hash is not null and log_index >= ${from} and log_index < ${until}
      and not exists (select from alert_signals s where s.alert_id = a.id)
    order by 1`)
  return rows.map(({ index }) => index)
}
