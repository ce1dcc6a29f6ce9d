import { statusOfVerdict } from './alert-status.ts'
import { type ControlRate, listControlTasks, measureControlRates } from './control-rates.ts'
import { type Figures, type Rate, summarize, toRate } from './figures.ts'
import { groupBy } from './ordered.ts'
import type { Model } from './prediction.ts'
import { findRecent, type RecentRecord } from './recent.ts'
import type { RecordAlert, RecordOptions, RecordStatement } from './record-alert.ts'
import { calibrateRecord, type RecordCalibration } from './record-calibration.ts'
import type { RecordAnchor, RecordEntry } from './record-entry.ts'
import { readRecord } from './record-reader.ts'

/** The log as of an anchor: its entries from 0 on, and what `RecordOptions` says. */
export interface RecordInput extends RecordOptions {
  /** By rising index. Entries that the last anchor does not cover are ignored. */
  entries: Iterable<RecordEntry>
}

/** One row of a table. */
export interface RecordGroup<Key> {
  key: Key
  figures: Figures
  /** The alerts behind the figures. */
  indexes: number[]
}

/** Every figure of the track record. */
export interface TrackRecord {
  origin: 'feed' | 'demo'
  /** The anchor that the record is computed as of. */
  asOf: RecordAnchor
  publicDelayMs: number
  /** Over all models and versions since the first entry. */
  overall: Figures
  /** Alerts with a prediction among all public alerts of the origin. */
  coverage: Rate
  calibration: RecordCalibration
  recent: RecentRecord
  /** Rows in order of first occurrence. Alerts whose content is not public are in none. */
  by: {
    type: RecordGroup<string>[]
    asset: RecordGroup<string>[]
    priority: RecordGroup<string>[]
    regime: RecordGroup<string>[]
    model: RecordGroup<Model>[]
    /** UTC month of issue, `YYYY-MM`. */
    month: RecordGroup<string>[]
  }
  /** By rising index. */
  alerts: RecordAlert[]
  /** By log index. */
  controlRates: ReadonlyMap<number, ControlRate>
}

/** Computes the whole record. Equal inputs give equal figures in every program. */
export function computeRecord({ entries, ...options }: RecordInput): TrackRecord {
  return summarizeRecord(readRecord(entries, options), options)
}

/**
 * Computes the figures of alerts from createRecordReader, with the same options.
 * @param controlRates those of measureControlRates, for callers that read the candles day by day
 */
export function summarizeRecord(
  alerts: RecordAlert[],
  options: RecordOptions,
  controlRates = measureAll(alerts, options),
): TrackRecord {
  const { origin, publicDelayMs, anchors } = options
  const asOf = anchors.at(-1)
  if (!asOf) throw new Error('A record is computed as of an anchor')
  return { origin, asOf, publicDelayMs, ...summarizeAlerts(alerts, origin, asOf, controlRates), alerts, controlRates }
}

function measureAll(
  alerts: readonly RecordAlert[],
  { anchors, candles }: RecordOptions,
): ReadonlyMap<number, ControlRate> {
  return candles ? measureControlRates(listControlTasks(alerts), anchors, candles) : new Map()
}

/**
 * The record as it is without an archive: outcomes that the archive disputes count by their
 * verdicts.
 */
export function withoutArchive(record: TrackRecord): TrackRecord {
  const alerts = record.alerts.map((alert) =>
    alert.status === 'disputed' && alert.outcome ? { ...alert, status: statusOfVerdict[alert.outcome.verdict] } : alert,
  )
  return { ...record, ...summarizeAlerts(alerts, record.origin, record.asOf, record.controlRates), alerts }
}

function summarizeAlerts(
  alerts: readonly RecordAlert[],
  origin: 'feed' | 'demo',
  asOf: RecordAnchor,
  controlRates: ReadonlyMap<number, ControlRate>,
): Pick<TrackRecord, 'overall' | 'coverage' | 'calibration' | 'recent' | 'by'> {
  const ofOrigin = alerts.filter(({ statement }) => statement?.origin === origin)
  const group = <Key>(
    listed: readonly RecordAlert[],
    keyOf: (alert: RecordAlert) => string,
    toKey: (key: string) => Key,
  ) =>
    [...groupBy(listed, keyOf)].map(([key, members]) => ({
      key: toKey(key),
      figures: summarize(members, controlRates),
      indexes: members.map(({ index }) => index),
    }))
  const byField = (read: (statement: RecordStatement) => string) =>
    group(
      ofOrigin,
      ({ statement }) => (statement ? read(statement) : ''),
      (key) => key,
    )
  return {
    overall: summarize(alerts, controlRates),
    coverage: toRate(ofOrigin.length, ofOrigin.filter(hasPrediction).length),
    calibration: calibrateRecord(alerts),
    recent: findRecent(alerts, asOf, controlRates),
    by: {
      type: byField(({ anomalyType }) => anomalyType),
      asset: byField(({ asset }) => asset),
      priority: byField(({ priority }) => priority),
      regime: byField(({ regime }) => regime),
      model: group(
        ofOrigin.filter(({ forecast }) => forecast !== null),
        ({ forecast }) => JSON.stringify(forecast?.model),
        (key): Model => JSON.parse(key),
      ),
      month: byField(({ createdAt }) => createdAt.slice(0, 7)),
    },
  }
}

/** Also true if the prediction breaks a rule. */
function hasPrediction({ forecast, status }: RecordAlert): boolean {
  return forecast !== null || status === 'invalid'
}
