import type { AlertStatus } from '@tocsin/proof'
import { z } from 'zod'
import { verdicts } from './names.ts'
import { isPlainText } from './plain-text.ts'
import { lowerCaseHash, prediction, predictionModel } from './prediction.ts'
import { isoTime, priority, utcDay } from './primitives.ts'
import { numericCursor } from './shared-schemas.ts'

/**
 * The public track record: figures that follow from alerts, predictions and outcomes
 * (docs/log-format.md, chapter 14). Computed as of an anchor from what is public at its block time,
 * so everyone can recompute each figure.
 */

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)
const interval = z.tuple([z.number(), z.number()])
const rate = z.object({ n: count, count, rate: share.nullable() })

/**
 * Repeats a list of the proof package, because importing that list would add the proof code to the
 * pages that use this schema.
 */
const countedResults = ['true', 'false', 'void', 'overdue', 'late', 'withheld', 'invalid', 'disputed'] as const
const statuses = [...countedResults, 'open', 'pending', 'no-prediction'] as const satisfies readonly AlertStatus[]
export const recordStatus = z.enum(statuses)
/** Alerts of the feed and of the demo have separate records. */
const origin = z.enum(['feed', 'demo'])

export const recordFigures = z.object({
  statuses: z.record(recordStatus, count),
  strict: rate,
  second: rate,
  interval: interval.nullable(),
  designEffect: z.number(),
  effectiveN: z.number(),
  witnessed: rate,
  episodes: rate,
  /** Number of counted alerts with an outcome whose stated time the anchors do not prove. */
  timesNotProven: count,
  baseRate: share.nullable(),
  /** Number of counted alerts without a control rate. */
  withoutControls: count,
  lift: z.object({ lift: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** Mean confidence in percent. */
  meanConfidence: z.number().nullable(),
  alertsPerAssetDay: z.number().nullable(),
  unknownVenues: z.array(z.string()),
})
export type RecordFigures = z.infer<typeof recordFigures>

const calibration = z.object({
  n: count,
  brier: z.number().nullable(),
  referenceBrier: z.number().nullable(),
  skill: z.number().nullable(),
  ece: z.number().nullable(),
  spiegelhalterZ: z.number().nullable(),
  bins: z.array(z.object({ from: z.number(), n: count, shown: share, cameTrue: share, chanceBand: interval })),
  leftOut: count,
  resolved: z.array(z.object({ model: z.string(), anomalyType: z.string(), resolved: count })),
})

const createTableSchema = <Key extends z.ZodType>(key: Key) => z.array(z.object({ key, figures: recordFigures }))
const namedTable = createTableSchema(z.string())

export const trackRecordQuery = z.strictObject({ origin: origin.default('feed') })
/** `record` is null before the first anchor. */
export const trackRecord = z.object({
  record: z
    .object({
      origin,
      /** The record is computed as of this anchor. Later entries are ignored. */
      asOf: z.object({ size: count, at: isoTime, blockNumber: count, blockHash: z.string() }),
      publicDelayHours: z.number(),
      firstEntryAt: isoTime.nullable(),
      overall: recordFigures,
      coverage: rate,
      calibration,
      /**
       * Figures of the 30 days before the anchor. They cover only the alerts from `fromIndex` on,
       * which are grouped into episodes without the earlier alerts. Pages recompute these figures.
       */
      recent: z.object({ since: isoTime, fromIndex: count, figures: recordFigures }),
      by: z.object({
        type: namedTable,
        asset: namedTable,
        priority: namedTable,
        regime: namedTable,
        model: createTableSchema(predictionModel),
        month: namedTable,
      }),
    })
    .nullable(),
})
export type TrackRecordResponse = z.infer<typeof trackRecord>

/** Sets of alerts behind figures that count alerts of several statuses. */
export const recordSets = [
  'counted',
  'without-void',
  'witnessed',
  'episodes',
  'time-not-proven',
  'with-controls',
  'without-controls',
  'calibrated',
  'uncalibrated',
  'predicted',
  'outside',
] as const
/**
 * The tables of the record. `bin`: the bins of the calibration. `resolved`: the numbers of alerts
 * that came true or did not, by model and type.
 */
export const recordRows = ['type', 'asset', 'priority', 'regime', 'model', 'month', 'bin', 'resolved'] as const

const selectionShape = {
  origin: origin.default('feed'),
  status: recordStatus.optional(),
  set: z.enum(recordSets).optional(),
  /**
   * A table of the record. `key` selects one of its rows: `name version settingsHash` in `model`,
   * the lower bound in `bin`, `modelName anomalyType` in `resolved`, and in every other table the
   * value of the row, for example the asset or the month (`2026-11`).
   */
  by: z.enum(recordRows).optional(),
  key: z.string().max(200).optional(),
}
const hasKeyIfBy = ({ by, key }: { by?: unknown; key?: unknown }) => (by === undefined) === (key === undefined)
const keyProblem = { path: ['key'], message: 'Expected both "by" and "key", or neither' }

/** Selects the alerts behind a figure: the alerts that match `status`, `set` and the row. */
export const trackRecordSelection = z.strictObject(selectionShape).refine(hasKeyIfBy, keyProblem)
export type TrackRecordSelection = z.infer<typeof trackRecordSelection>

export const trackRecordAlertsQuery = z
  .strictObject({
    ...selectionShape,
    /** The value of `next` of the previous page. */
    cursor: numericCursor,
    limit: z.coerce.number().int().min(1).max(200).default(50),
  })
  .refine(hasKeyIfBy, keyProblem)

/** An alert of the record. Only index and leaf hash are known while its content is not public. */
export const recordAlert = z.object({
  logIndex: count,
  leafHash: z.string(),
  status: recordStatus,
  /** Why the alert is withheld or invalid, or null. */
  problem: z.string().nullable(),
  alert: z
    .object({ id: z.string(), asset: z.string(), anomalyType: z.string(), regime: z.string(), priority })
    .extend({ confidence: z.number(), createdAt: isoTime, summary: z.string() })
    .nullable(),
  prediction: prediction.nullable(),
  outcome: z
    .object({ logIndex: count, verdict: z.enum(verdicts), measured: z.string().nullable(), createdAt: isoTime })
    /** True if the anchors prove `createdAt`. */
    .extend({ timeProven: z.boolean() })
    .nullable(),
  isWitnessed: z.boolean(),
  controlRate: z.object({ minutes: count, cameTrue: count }).nullable(),
})
/** Sorted from newest to oldest. */
export const trackRecordAlerts = z.object({ items: z.array(recordAlert), next: z.string().nullable() })

/**
 * The signal and outcome messages whose hashes are in log entries, each with the log index of its
 * entry. Entries to which the caller has no access are left out. `next` is the index to continue
 * from, null at the end.
 */
export const logMessages = z.object({
  messages: z.array(z.object({ index: count, message: z.string() })),
  next: count.nullable(),
})

export const byHash = z.strictObject({ hash: lowerCaseHash })
const venueOrMarket = z.string().max(40).refine(isPlainText, 'Not plain text')
export const byMarketDay = z.strictObject({
  venue: venueOrMarket,
  market: venueOrMarket,
  day: utcDay,
})
/** `[openTime, open, high, low, close, volume]`: seconds since 1970, then decimals as text. */
export const logCandles = z.object({
  candles: z.array(z.tuple([count, z.string(), z.string(), z.string(), z.string(), z.string()])),
})
