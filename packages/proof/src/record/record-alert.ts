import type { AlertStatement } from '../alert.ts'
import type { Hex } from '../hex.ts'
import type { AlertStatus } from './alert-status.ts'
import type { CandleComparison, CandleSource } from './candle-source.ts'
import type { Verdict } from './metrics.ts'
import type { Forecast } from './prediction.ts'
import type { RecordAnchor } from './record-entry.ts'

export interface RecordOptions {
  /** All anchors in ascending order of size. The record is computed as of the last one. */
  anchors: readonly RecordAnchor[]
  publicDelayMs: number
  /** Alerts of the feed and of the demo have separate records. */
  origin: 'feed' | 'demo'
  candles?: CandleSource | null
  /**
   * Whether the outcomes are compared with an archive (see `isArchive` of CandleSource). Set by
   * callers that compare the candles themselves.
   */
  hasArchive?: boolean
  /** A faster SHA-256 of UTF-8 text than the built-in one. */
  hashMessage?: (message: string) => Hex
}

/** The outcome that counts for an alert: the one with the lowest index. */
export interface RecordOutcome {
  index: number
  createdMs: number
  verdict: Verdict
  measured: string | null
  /** Why the outcome does not follow from message and candles, or null. */
  problem: string | null
  /** False if the anchors do not prove `createdMs`. Has no effect on the status. */
  isTimeProven: boolean
  /** Null if there is no source to compare with, or there are no valid candles to compare. */
  comparison: CandleComparison | null
}

/** The fields of an alert's statement that the record shows or counts. */
export type RecordStatement = Pick<
  AlertStatement,
  'id' | 'asset' | 'priority' | 'anomalyType' | 'regime' | 'summary' | 'confidence' | 'createdAt' | 'origin'
>

/** The fields of an alert that the figures use. */
export type CountedAlert = Omit<RecordAlert, 'leafHash' | 'problem' | 'anchoredMs' | 'furtherOutcomes'>

/** An alert in the record, or an entry of unknown kind that may be one. */
export interface RecordAlert {
  index: number
  leafHash: Hex
  status: AlertStatus
  /** Null if the content is not public. */
  statement: RecordStatement | null
  /** Null if the prediction is not known or breaks a rule. */
  forecast: Forecast | null
  /** Why the prediction is missing or breaks a rule, or null. */
  problem: string | null
  /** Time of issue, 0 if the content is not public. */
  createdMs: number
  anchoredMs: number | null
  outcome: RecordOutcome | null
  /** Indexes of later outcomes. They have no effect. */
  furtherOutcomes: number[]
  /**
   * True if the outcome is valid and the prediction came true in the rest of the horizon after the
   * first anchor.
   */
  isWitnessed: boolean
  isFirstOfEpisode: boolean
  /**
   * Hours since 1970 until the start of the prediction. If the start is not known: until the time
   * of issue, or until the first anchor if the content is not public. Alerts of the same hour are
   * treated as dependent, see intervals.ts.
   */
  hour: number
}
