import {
  computeHorizon,
  findUnprovenReason,
  getStatus,
  type KnownPrediction,
  type RecordAlert,
  type RecordOutcome,
  type RecordStatement,
} from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { RecordRow, StoredResult } from './record-store.ts'

/** Returns the prediction of an alert, or the reason why the alert has none that counts. */
export function getPrediction({ statement, isRepeated, hasMessage, forecast }: RecordRow): KnownPrediction {
  if (!statement) return 'hidden'
  if (isRepeated || statement.signalHash === null) return 'none'
  if (!hasMessage) return 'missing'
  return forecast?.prediction ?? 'none'
}

/** The result of an alert for which no computation has stored one. */
export const initialResult: StoredResult = {
  status: 'open',
  isFirstOfEpisode: true,
  outcomeIndex: null,
  anchoredMs: null,
  problem: null,
  isWitnessed: false,
  isTimeProven: true,
  controlsKey: null,
  controlMinutes: null,
  controlsCameTrue: null,
}

/**
 * Converts a row to an alert of the record, with the results that earlier computations have stored
 * about its outcome.
 * @param at the block time of the record's anchor, and the public delay
 */
export function toRecordAlert(row: RecordRow, at: { blockMs: number; publicDelayMs: number }): RecordAlert {
  const { index, leafHash, anchoredMs } = row
  const prediction = getPrediction(row)
  const forecast = typeof prediction === 'object' ? row.forecast : null
  const createdMs = row.statement?.createdMs ?? 0
  const storedResult = forecast && row.stored ? row.stored : initialResult
  const outcome = row.outcome && toOutcome(row.outcome, storedResult)
  const facts = outcome && {
    createdMs: outcome.createdMs,
    verdict: outcome.verdict,
    isValid: outcome.problem === null,
    isDisputed: false,
  }
  const startMs = forecast
    ? computeHorizon(forecast.prediction).from * 1000
    : row.statement
      ? createdMs
      : (anchoredMs ?? 0)
  return {
    index,
    leafHash,
    status: getStatus({ createdMs, prediction, anchoredMs, outcome: facts }, at),
    statement: toStatement(row),
    forecast,
    problem: findProblem(row, prediction),
    createdMs,
    anchoredMs,
    outcome,
    furtherOutcomes: [],
    isWitnessed: outcome !== null && storedResult.isWitnessed,
    isFirstOfEpisode: storedResult.isFirstOfEpisode,
    hour: Math.floor(startMs / HOUR_MS),
  }
}

function toOutcome(
  { index, createdMs, verdict, measured, ...anchoring }: NonNullable<RecordRow['outcome']>,
  { problem }: StoredResult,
): RecordOutcome {
  const isTimeProven = findUnprovenReason(createdMs, anchoring) === null
  return { index, createdMs, verdict, measured, problem, isTimeProven, comparison: null }
}

function toStatement({ statement }: RecordRow): RecordStatement | null {
  if (!statement) return null
  const { createdMs, signalHash: _signalHash, ...fields } = statement
  return { ...fields, createdAt: new Date(createdMs).toISOString() }
}

function findProblem({ isRepeated }: RecordRow, prediction: KnownPrediction): string | null {
  if (prediction === 'missing') return 'The signal message is missing'
  return isRepeated && prediction === 'none' ? 'An earlier alert has the same signal' : null
}
