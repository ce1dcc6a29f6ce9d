import type { AlertStatement } from '../alert.ts'
import type { Hex } from '../hex.ts'
import type { OutcomeStatement } from '../outcome-entry.ts'
import { hashSignal } from '../signal.ts'
import { type AlertStatus, type KnownPrediction, type RecordTime, statusOf } from './alert-status.ts'
import { type CandleComparison, type CandleSource, compareCandles } from './candle-source.ts'
import { createEpisodes } from './episodes.ts'
import { judgeEntry, type KnownSignal, readSignal, withoutForecast } from './judge-entry.ts'
import { judgeWitnessed, type Verdict } from './metrics.ts'
import { findFirst } from './ordered.ts'
import type { JudgedOutcome } from './outcome-message.ts'
import { type Forecast, horizonOf, type Prediction } from './prediction.ts'
import type { RecordAnchor, RecordEntry } from './record-entry.ts'

export interface RecordOptions {
  /** All anchors by rising size. The record is computed as of the last one. */
  anchors: readonly RecordAnchor[]
  publicDelayMs: number
  /** Alerts of the feed and of the demo have separate records. */
  origin: 'feed' | 'demo'
  candles?: CandleSource | null
  /** A faster SHA-256 of UTF-8 text than the built-in one. */
  hashMessage?: (message: string) => Hex
}

/** The outcome of an alert that counts: the one with the lowest index. */
export interface RecordOutcome {
  index: number
  createdMs: number
  verdict: Verdict
  measured: string | null
  /** Why it does not follow from message and candles, or null. */
  problem: string | null
  /** Null if there was no source to compare with, or nothing to compare. */
  comparison: CandleComparison | null
}

/** An alert in the record, or an entry of unknown kind that may be one. */
export interface RecordAlert {
  index: number
  leafHash: Hex
  status: AlertStatus
  /** Null if the content is not public. */
  statement: AlertStatement | null
  /** Null if the prediction is not known or breaks a rule. */
  forecast: Forecast | null
  /** Why the prediction is missing or breaks a rule, or null. */
  problem: string | null
  /** Time of issue, 0 if the content is not public. */
  createdMs: number
  anchoredMs: number | null
  outcome: RecordOutcome | null
  /** Indexes of later outcomes, which have no effect. */
  furtherOutcomes: number[]
  /**
   * True if the outcome is valid and the prediction came true in what was left of the horizon after
   * the first anchor.
   */
  isWitnessed: boolean
  isFirstOfEpisode: boolean
  /**
   * UTC hour, counted from 1970, of the start; of the time of issue or of the first anchor where
   * the start is not known.
   */
  hour: number
}

const hourMs = 3_600_000

/** An alert whose status is not decided yet. */
interface Draft {
  alert: RecordAlert
  prediction: KnownPrediction
  signalId: string
}

/**
 * Reads the entries of a log by rising index, and decides what each alert counts as. Messages are
 * not kept.
 */
export function createRecordReader({ anchors, publicDelayMs, origin, candles, hashMessage }: RecordOptions) {
  const asOf = anchors.at(-1)
  if (!asOf) throw new Error('A record is computed as of an anchor')
  const at: RecordTime = { blockMs: Date.parse(asOf.blockAt), publicDelayMs }
  const hash = hashMessage ?? hashSignal
  const drafts = new Map<number, Draft>()
  const signalHashes = new Set<Hex>()
  /** Alerts whose content is younger than the public delay. Everyone leaves them out. */
  const young = new Set<number>()

  const isYoung = (createdAt: string) => Date.parse(createdAt) + publicDelayMs > at.blockMs
  const anchoredMsOf = (index: number) => {
    const first = anchors[findFirst(anchors.length, (position) => (anchors[position]?.size ?? 0) > index)]
    return first ? Date.parse(first.blockAt) : null
  }

  function addDraft({ index, leafHash }: RecordEntry, statement: AlertStatement | null, known: KnownSignal): void {
    const { forecast, prediction, signalId, problem } = known
    const createdMs = statement ? Date.parse(statement.createdAt) : 0
    const anchoredMs = anchoredMsOf(index)
    const startMs = forecast ? horizonOf(forecast.prediction).from * 1000 : statement ? createdMs : (anchoredMs ?? 0)
    // Every property by name: objects built by spreading are slow to read in long records.
    const alert: RecordAlert = {
      index,
      leafHash,
      status: 'pending',
      statement,
      forecast,
      problem,
      createdMs,
      anchoredMs,
      outcome: null,
      furtherOutcomes: [],
      isWitnessed: false,
      isFirstOfEpisode: true,
      hour: Math.floor(startMs / hourMs),
    }
    drafts.set(index, { alert, prediction, signalId })
  }

  function addAlert(entry: RecordEntry, statement: AlertStatement): void {
    const { signalHash } = statement
    if (isYoung(statement.createdAt)) {
      young.add(entry.index)
      addDraft(entry, null, withoutForecast('hidden'))
      return
    }
    const isRepeated = signalHash !== null && signalHashes.has(signalHash)
    if (signalHash !== null) signalHashes.add(signalHash)
    if (statement.origin !== origin && statement.origin !== 'admin') return
    const known = isRepeated
      ? withoutForecast('none', 'An earlier alert has the same signal')
      : readSignal(statement, entry.message, origin, hash)
    addDraft(entry, statement, known)
  }

  function addOutcome(entry: RecordEntry, statement: OutcomeStatement): void {
    const { index, targetIndex, targetLeafHash, createdAt, verdict, measured } = statement
    // An outcome is public together with its alert.
    if (young.has(targetIndex)) addDraft(entry, null, withoutForecast('hidden'))
    const target = drafts.get(targetIndex)
    const alert = target?.alert
    if (!alert?.statement || alert.leafHash !== targetLeafHash || alert.statement.origin !== statement.origin) return
    if (alert.outcome) {
      alert.furtherOutcomes.push(index)
      return
    }
    const outcome = { index, createdMs: Date.parse(createdAt), verdict, measured, problem: null, comparison: null }
    alert.outcome = outcome
    const { forecast, anchoredMs } = alert
    if (!forecast) return
    const { prediction } = forecast
    const signal = { id: target?.signalId ?? '', hash: alert.statement.signalHash ?? '0x', prediction } as const
    const judged = judgeEntry(statement, entry.message, signal, hash)
    if ('problem' in judged) {
      alert.outcome = { ...outcome, problem: judged.problem }
      return
    }
    alert.isWitnessed = isWitnessed(prediction, judged, anchoredMs)
    if (candles) {
      alert.outcome = { ...outcome, comparison: compareCandles(prediction, judged.candles, verdict, candles) }
    }
  }

  return {
    /** Adds the next entry. Entries that the last anchor does not cover are ignored. */
    add(entry: RecordEntry): void {
      if (entry.index >= asOf.size) return
      const { statement } = entry
      switch (statement?.kind) {
        case undefined:
          addDraft(entry, null, withoutForecast('hidden'))
          break
        case 'alert':
          addAlert(entry, statement)
          break
        case 'outcome':
          addOutcome(entry, statement)
          break
        case 'correction':
        case 'retraction':
          // To everyone else, a young correction is an entry of unknown kind.
          if (isYoung(statement.createdAt)) addDraft(entry, null, withoutForecast('hidden'))
          break
        default:
          // Entries about the log itself have no status.
          break
      }
    },

    /** All alerts by rising index. */
    finish(): RecordAlert[] {
      const isFirstOfEpisode = createEpisodes()
      return [...drafts.values()].map(({ alert, prediction }) => {
        alert.status = decideStatus(alert, prediction, at, candles?.isArchive === true)
        alert.isFirstOfEpisode = alert.forecast === null || isFirstOfEpisode(alert.forecast.prediction)
        return alert
      })
    },
  }
}

/** The whole horizon is witnessed if the anchor came before its start. */
function isWitnessed(
  prediction: Prediction,
  { judgement, candles }: JudgedOutcome,
  anchoredMs: number | null,
): boolean {
  if (anchoredMs === null) return false
  if (anchoredMs <= Date.parse(prediction.startsAt)) return judgement.verdict === 'came-true'
  return judgeWitnessed(prediction, candles, anchoredMs).isTrue
}

function decideStatus(
  { outcome, createdMs, anchoredMs }: RecordAlert,
  prediction: KnownPrediction,
  at: RecordTime,
  hasArchive: boolean,
): AlertStatus {
  const facts = outcome && {
    createdMs: outcome.createdMs,
    verdict: outcome.verdict,
    isValid: outcome.problem === null,
    isDisputed: hasArchive && outcome.comparison === 'other-verdict',
  }
  return statusOf({ createdMs, prediction, anchoredMs, outcome: facts }, at)
}
