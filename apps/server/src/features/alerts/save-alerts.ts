import type { AlertStatement, Forecast } from '@tocsin/proof'
import { sql } from 'drizzle-orm'
import type { Tx } from '../../db/database.ts'
import { createNotificationSql } from '../../db/notification-bus.ts'
import { prepareStatement } from '../../db/prepared.ts'

/** A new alert whose entry was logged in the same transaction. */
export interface NewAlertRow {
  statement: AlertStatement
  signalId: string | null
  /** The raw feed message. */
  message: string | null
  /** The prediction in `message`. */
  forecast: Forecast | null
  /** Null if the alert is not broadcast. */
  broadcastAt: Date | null
}

export interface SavedDeliveries {
  /** The last `seq` before these deliveries, or 0 if they are the first. */
  after: number
  deliveries: { seq: number; logIndex: number }[]
}

/**
 * Inserts alerts with their messages and predictions. For alerts that are broadcast, also inserts
 * deliveries, and notifies listeners of them at the commit. Callers must hold the lock on the log
 * head. The SQL statement is sent before the function returns its promise.
 */
export async function saveAlertsAndDeliveries(tx: Tx, rows: readonly NewAlertRow[]): Promise<SavedDeliveries> {
  const broadcasts = rows.flatMap(({ statement: { index }, broadcastAt }) =>
    broadcastAt ? [{ index, broadcastAt }] : [],
  )
  const rowsWithMessage = rows.filter(({ message }) => message !== null)
  const predictions = rows.flatMap(({ statement: { index }, forecast }) => (forecast ? [{ index, forecast }] : []))
  const column = <Key extends keyof AlertStatement>(key: Key) => rows.map(({ statement }) => statement[key])
  const [row] = await insertAll(tx, {
    ids: column('id'),
    indexes: column('index'),
    kinds: column('kind'),
    targetIndexes: column('targetIndex'),
    assets: column('asset'),
    priorities: column('priority'),
    anomalyTypes: column('anomalyType'),
    confidences: column('confidence'),
    regimes: column('regime'),
    summaries: column('summary'),
    origins: column('origin'),
    signalHashes: column('signalHash'),
    signers: column('signer'),
    createdAts: column('createdAt'),
    signalIds: rows.map(({ signalId }) => signalId),
    broadcastAts: rows.map(({ broadcastAt }) => broadcastAt?.toISOString() ?? null),
    signalled: rowsWithMessage.map(({ statement }) => statement.id),
    messages: rowsWithMessage.map(({ message }) => message),
    predicted: predictions.map(({ index }) => index),
    forecasts: predictions.map(({ forecast }) => JSON.stringify(forecast)),
    startsAts: predictions.map(({ forecast }) => forecast.prediction.startsAt),
    sent: broadcasts.map(({ index }) => index),
    sentAts: broadcasts.map(({ broadcastAt }) => broadcastAt.toISOString()),
  })
  return {
    after: Number(row?.after ?? 0),
    deliveries: (row?.seqs ?? []).map((seq, index) => ({ seq, logIndex: broadcasts[index]?.index ?? Number.NaN })),
  }
}

const value = sql.placeholder
const insertAll = prepareStatement<{ after: string; seqs: number[] | null }, Record<string, unknown>>(
  'save_alerts',
  () => sql`
    with saved as (
      insert into alerts (id, log_index, kind, target_index, asset, priority, anomaly_type, confidence, regime, summary,
        origin, signal_hash, signer, created_at, signal_id, broadcast_at)
      select * from unnest(${value('ids')}::text[], ${value('indexes')}::bigint[], ${value('kinds')}::text[],
        ${value('targetIndexes')}::bigint[], ${value('assets')}::text[], ${value('priorities')}::text[],
        ${value('anomalyTypes')}::text[], ${value('confidences')}::real[], ${value('regimes')}::text[],
        ${value('summaries')}::text[], ${value('origins')}::text[], ${value('signalHashes')}::text[],
        ${value('signers')}::text[], ${value('createdAts')}::timestamptz[], ${value('signalIds')}::text[],
        ${value('broadcastAts')}::timestamptz[])),
    signalled as (
      insert into alert_signals (alert_id, message)
      select * from unnest(${value('signalled')}::text[], ${value('messages')}::text[]) on conflict do nothing),
    predicted as (
      insert into alert_predictions (log_index, forecast, starts_at)
      select p.index, p.forecast::jsonb, p.starts_at
      from unnest(${value('predicted')}::bigint[], ${value('forecasts')}::text[], ${value('startsAts')}::timestamptz[])
        as p (index, forecast, starts_at)
      on conflict do nothing),
    sent as (
      insert into deliveries (log_index, at)
      select d.index, d.at
      from unnest(${value('sent')}::bigint[], ${value('sentAts')}::timestamptz[]) with ordinality as d (index, at, place)
      order by d.place returning seq)
    select coalesce((select max(seq) from deliveries), 0) as after, json_agg(seq order by seq) as seqs,
      case when count(*) > 0 then ${createNotificationSql('deliveries', sql`max(seq)`)} end
    from sent`,
)
