import { statusOfVerdict } from './alert-status.ts'
import { type ControlRate, listControlTasks, measureControlRates } from './control-rates.ts'
import { createFigures, type Figures, type Rate, toRate } from './figures.ts'
import type { Model } from './prediction.ts'
import { createRecentFigures, getRecentStartMs, type RecentRecord } from './recent.ts'
import type { CountedAlert, RecordAlert, RecordOptions, RecordStatement } from './record-alert.ts'
import { createCalibration, type RecordCalibration } from './record-calibration.ts'
import type { RecordAnchor, RecordEntry } from './record-entry.ts'
import { getLastAnchor } from './record-facts.ts'
import { readRecord } from './record-reader.ts'

/** The log as of an anchor: its entries from 0 on, with the options of the record. */
export interface RecordInput extends RecordOptions {
  /**
   * The entries in ascending index order. Entries that the last anchor does not cover are ignored.
   */
  entries: Iterable<RecordEntry>
}

/** One row of a table. */
export interface RecordGroup<Key> {
  key: Key
  figures: Figures
}

/**
 * Tables over all public alerts of the origin. The table by model is separate, because only alerts
 * with a prediction have a model.
 */
export const recordTables = ['type', 'asset', 'priority', 'regime', 'month'] as const
export type RecordTable = (typeof recordTables)[number]

/** Numbers of public alerts, with and without a prediction. */
export interface PublicCounts {
  /** Number of public alerts from the record's `origin` (feed or demo) and from admins. */
  all: number
  ofOrigin: number
  /** Like `all`, but only from the first alert of the recent record on. */
  recent: number
  /** Public alerts of the origin by table and key. `first` is the lowest index. */
  rows: readonly { table: RecordTable; key: string; count: number; first: number }[]
}

/** Numbers of pending alerts: `recent` is the number of those in the recent record. */
export interface PendingCounts {
  all: number
  recent: number
}

/** Every figure of the track record. */
export interface RecordSummary {
  origin: 'feed' | 'demo'
  /** The record is computed as of this anchor. Later entries are ignored. */
  asOf: RecordAnchor
  publicDelayMs: number
  /** Figures over all models and versions since the first entry. */
  overall: Figures
  /** Share of the public alerts of `origin` that have a prediction, even an invalid one. */
  coverage: Rate
  calibration: RecordCalibration
  recent: RecentRecord
  /** Rows in order of first occurrence. Alerts whose content is not public are in no row. */
  by: {
    [table in RecordTable]: RecordGroup<string>[]
  } & { model: RecordGroup<Model>[] }
}

/** The figures, with the alerts from which they follow. */
export interface TrackRecord extends RecordSummary {
  /** The alerts in ascending index order. */
  alerts: RecordAlert[]
  /** The control rates by log index. */
  controlRates: ReadonlyMap<number, ControlRate>
}

/** Computes the whole record. Equal inputs give equal figures in every program. */
export function computeRecord({ entries, ...options }: RecordInput): TrackRecord {
  return summarizeRecord(readRecord(entries, options), options)
}

/**
 * Computes the figures of alerts from createRecordReader, with the same options.
 * @param controlRates the result of measureControlRates, from callers that read the candles day by
 * day
 */
export function summarizeRecord(
  alerts: RecordAlert[],
  options: RecordOptions,
  controlRates = measureControlsOfAlerts(alerts, options),
): TrackRecord {
  return {
    ...summarizeAlerts(alerts, { ...options, asOf: getLastAnchor(options.anchors) }, controlRates),
    alerts,
    controlRates,
  }
}

function measureControlsOfAlerts(
  alerts: readonly RecordAlert[],
  { anchors, candles }: RecordOptions,
): ReadonlyMap<number, ControlRate> {
  return candles ? measureControlRates(listControlTasks(alerts), anchors, candles) : new Map()
}

/**
 * Computes the record as it is without an archive: outcomes that the archive disputes count by
 * their verdicts.
 * @param controlRates rates measured with the candles of the log's own server. Required if the
 * rates of the record were measured with the candles of an archive
 */
export function recomputeWithoutArchive(record: TrackRecord, controlRates = record.controlRates): TrackRecord {
  const alerts = record.alerts.map((alert) =>
    alert.status === 'disputed' && alert.outcome ? { ...alert, status: statusOfVerdict[alert.outcome.verdict] } : alert,
  )
  return { ...record, ...summarizeAlerts(alerts, record, controlRates), alerts, controlRates }
}

type SummaryOptions = Pick<RecordSummary, 'origin' | 'asOf' | 'publicDelayMs'>

function summarizeAlerts(
  alerts: readonly RecordAlert[],
  { origin, asOf, publicDelayMs }: SummaryOptions,
  controlRates: ReadonlyMap<number, ControlRate>,
): RecordSummary {
  const sinceMs = getRecentStartMs(asOf)
  const firstRecentAlert = alerts.find(({ statement, createdMs }) => statement !== null && createdMs >= sinceMs)
  const summary = createRecordSummary({ origin, asOf, publicDelayMs }, firstRecentAlert?.index ?? asOf.size)
  for (const alert of alerts) summary.add(alert, controlRates.get(alert.index))
  return summary.finish()
}

const nonePending: PendingCounts = { all: 0, recent: 0 }

interface Group {
  first: number
  added: number
  figures: ReturnType<typeof createFigures>
}

/**
 * Computes the figures of alerts that are added one at a time. Stores a few numbers for each
 * counted alert, and nothing for other alerts.
 * @param fromIndex the first alert of the recent record
 */
export function createRecordSummary({ origin, asOf, publicDelayMs }: SummaryOptions, fromIndex: number) {
  const overall = createFigures()
  const recent = createRecentFigures(fromIndex)
  const calibration = createCalibration()
  const tables = new Map<RecordTable | 'model', Map<string, Group>>()
  const addedCounts = { all: 0, ofOrigin: 0, recent: 0, predicted: 0 }

  function getOrCreateGroup(table: RecordTable | 'model', key: string, first: number): Group {
    const groups = tables.get(table) ?? new Map<string, Group>()
    tables.set(table, groups)
    const group = groups.get(key) ?? { first, added: 0, figures: createFigures() }
    groups.set(key, group)
    group.first = Math.min(group.first, first)
    return group
  }

  function listGroups(table: RecordTable | 'model'): RecordGroup<string>[] {
    return [...(tables.get(table) ?? [])]
      .sort(([, a], [, b]) => a.first - b.first)
      .map(([key, { figures }]) => ({ key, figures: figures.finish() }))
  }

  return {
    /** Adds the next alert. Indexes must ascend. */
    add(alert: CountedAlert, controlRate?: ControlRate): void {
      const { statement, forecast, index } = alert
      overall.add(alert, controlRate)
      recent.add(alert, controlRate)
      calibration.add(alert)
      if (!statement) return
      addedCounts.all += 1
      if (index >= fromIndex) addedCounts.recent += 1
      if (statement.origin !== origin) return
      addedCounts.ofOrigin += 1
      // An invalid prediction also counts as a prediction.
      if (forecast !== null || alert.status === 'invalid') addedCounts.predicted += 1
      const keys = getKeys(statement)
      for (const table of recordTables) {
        const group = getOrCreateGroup(table, keys[table], index)
        group.added += 1
        group.figures.add(alert, controlRate)
      }
      if (forecast) getOrCreateGroup('model', JSON.stringify(forecast.model), index).figures.add(alert, controlRate)
    },

    /**
     * Computes all figures. Callers call it once, after the last alert.
     * @param counts all public alerts, also the added ones. Required if alerts without a prediction
     * were not added
     * @param pending the pending alerts that were not added
     */
    finish(counts: PublicCounts = { ...addedCounts, rows: [] }, pending: PendingCounts = nonePending): RecordSummary {
      overall.addUncounted('no-prediction', counts.all - addedCounts.all)
      recent.addUncounted('no-prediction', counts.recent - addedCounts.recent)
      overall.addUncounted('pending', pending.all)
      recent.addUncounted('pending', pending.recent)
      for (const { table, key, count, first } of counts.rows) {
        const group = getOrCreateGroup(table, key, first)
        group.figures.addUncounted('no-prediction', count - group.added)
      }
      return {
        origin,
        asOf,
        publicDelayMs,
        overall: overall.finish(),
        coverage: toRate(counts.ofOrigin, addedCounts.predicted),
        calibration: calibration.finish(),
        recent: { since: new Date(getRecentStartMs(asOf)).toISOString(), fromIndex, figures: recent.finish() },
        by: {
          type: listGroups('type'),
          asset: listGroups('asset'),
          priority: listGroups('priority'),
          regime: listGroups('regime'),
          model: listGroups('model').map(({ key, figures }) => ({ key: JSON.parse(key), figures })),
          month: listGroups('month'),
        },
      }
    },
  }
}

function getKeys({ anomalyType, asset, priority, regime, createdAt }: RecordStatement): Record<RecordTable, string> {
  return { type: anomalyType, asset, priority, regime, month: createdAt.slice(0, 7) }
}
