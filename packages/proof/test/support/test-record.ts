import type { AlertStatement } from '../../src/alert.ts'
import type { Address, Hex } from '../../src/hex.ts'
import { bytesToHex } from '../../src/hex.ts'
import type { OutcomeStatement } from '../../src/outcome-entry.ts'
import { type Candle, candleSeconds } from '../../src/record/candles.ts'
import { formatResult } from '../../src/record/decimal.ts'
import { computeWindow, evaluatePrediction, listMissingMinutes, parseCandleLists } from '../../src/record/metrics.ts'
import type { Model, Prediction } from '../../src/record/prediction.ts'
import type { RecordAnchor, RecordEntry } from '../../src/record/record-entry.ts'
import type { TrackRecord } from '../../src/record/track-record.ts'
import { hashSignal } from '../../src/signal.ts'
import { encodeStatement, type Statement } from '../../src/statement.ts'
import { hashLeaf } from '../../src/tree.ts'

/** An in-memory record for tests: entries with real messages, without signatures. */

const signer: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const salt: Hex = `0x${'5a'.repeat(16)}`
export const testModel: Model = { name: 'engine', version: '1', settingsHash: `0x${'22'.repeat(32)}` }

/** 2026-03-02T14:31:00.000Z in seconds. */
export const testStartSeconds = 1_772_461_860

export function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/** A prediction of one hour from `start` on; resolveBy is 15 minutes after its end. */
export function createPrediction(start: number, change: Partial<Prediction> = {}): Prediction {
  const { horizonSeconds = 3600 } = change
  return {
    metric: 'maxExcursion',
    comparison: 'gte',
    threshold: 1,
    venue: 'binance',
    market: 'BTCUSDT',
    candleSeconds,
    startsAt: toIso(start),
    horizonSeconds,
    resolveBy: toIso(start + horizonSeconds + 900),
    ...change,
  }
}

/** A candle with one price. */
export function createFlatCandle(openTime: number, close: number, volume = '1'): Candle {
  const price = formatResult(BigInt(Math.round(close * 1e6)) * 10n ** 6n)
  return [openTime, price, price, price, price, volume]
}

/**
 * Candles of a prediction's window. The price is 100 until `moveMinute` minutes after the start of
 * the horizon, and `to` afterwards.
 */
export function getCandles(prediction: Prediction, moveMinute: number, to = 102): Candle[] {
  const { from, until } = computeWindow(prediction)
  const start = until - prediction.horizonSeconds
  const candles: Candle[] = []
  for (let minute = from; minute < until; minute += candleSeconds) {
    candles.push(createFlatCandle(minute, minute >= start + moveMinute * candleSeconds ? to : 100))
  }
  return candles
}

export interface AlertPlan {
  prediction: Prediction | null
  model: Model
  /** Changes of the statement. */
  alert: Partial<AlertStatement>
  /** The signal message, null if it is missing. */
  message: string | null
}

export function createTestRecord() {
  const entries: RecordEntry[] = []
  const anchors: RecordAnchor[] = []

  function append(statement: Statement, message: string | null): RecordEntry {
    const leafHash = bytesToHex(hashLeaf(encodeStatement(statement)))
    const entry = { index: statement.index, leafHash, statement, message }
    entries.push(entry)
    return entry
  }

  /** Appends an alert, issued 40 seconds before the start of its prediction by default. */
  function appendAlert(prediction: Prediction | null, plan: Partial<AlertPlan> = {}): RecordEntry {
    const index = entries.length
    const startsMs = prediction ? Date.parse(prediction.startsAt) : testStartSeconds * 1000
    const createdAt = new Date(startsMs - 40_000).toISOString()
    const signal = { id: `m-${index}`, observedAt: createdAt }
    const forecast = prediction && { prediction, model: plan.model ?? testModel }
    const message = JSON.stringify({ ...signal, ...forecast })
    const statement: AlertStatement = {
      kind: 'alert',
      index,
      id: `a-${index}`,
      asset: 'BTC/USDT',
      priority: 'high',
      anomalyType: 'Price move',
      regime: 'Calm',
      summary: 'Price fell',
      confidence: 50,
      createdAt,
      origin: 'feed',
      signalHash: hashSignal(plan.message ?? message),
      signer,
      targetIndex: null,
      targetLeafHash: null,
      salt,
      ...plan.alert,
    }
    return append(statement, plan.message === undefined ? message : plan.message)
  }

  /**
   * Appends the outcome that follows from the candles. By default, it was created six seconds after
   * the end of the horizon.
   */
  function appendOutcome(
    { index: targetIndex, leafHash, statement: alert, message: signal }: RecordEntry,
    candles: readonly Candle[],
    change: { entry?: Partial<OutcomeStatement>; message?: object; isMissing?: boolean } = {},
  ): RecordEntry {
    if (alert?.kind !== 'alert' || signal === null) throw new Error('An outcome needs an alert with a message')
    const { id, prediction }: { id: string; prediction: Prediction } = JSON.parse(signal)
    const candleLists = parseCandleLists(prediction, candles, candles)
    const result = evaluatePrediction(prediction, candleLists)
    const text = JSON.stringify({
      type: 'outcome',
      id,
      signalHash: alert.signalHash,
      candles,
      ...(prediction.metric === 'spread' ? { otherCandles: candles } : {}),
      missing: listMissingMinutes(prediction, candleLists),
      note: '',
      ...result,
      ...change.message,
    })
    const statement: OutcomeStatement = {
      kind: 'outcome',
      index: entries.length,
      targetIndex,
      targetLeafHash: leafHash,
      verdict: result.verdict,
      measured: result.measured,
      createdAt: new Date(computeWindow(prediction).until * 1000 + 6_000).toISOString(),
      origin: alert.origin === 'demo' ? 'demo' : 'feed',
      messageHash: hashSignal(text),
      signer,
      salt,
      ...change.entry,
    }
    return append(statement, change.isMissing ? null : text)
  }

  /** Anchors all entries so far in a new block. */
  function anchor(seconds: number): void {
    const blockNumber = 1000 + anchors.length * 20
    const blockHash: Hex = `0x${blockNumber.toString(16).padStart(64, '0')}`
    anchors.push({ size: entries.length, blockAt: toIso(seconds), blockNumber, blockHash })
  }

  return { entries, anchors, append, appendAlert, appendOutcome, anchor, signer, salt }
}

export type TestRecord = ReturnType<typeof createTestRecord>

/** Lists the indexes of the alerts in a row of a table of the record. */
export function listMembers({ alerts, origin }: TrackRecord, table: string, key: unknown): number[] {
  const members = alerts.filter(({ statement, forecast }) => {
    if (statement?.origin !== origin) return false
    const { anomalyType: type, createdAt, ...fields } = statement
    const keys: Record<string, unknown> = { ...fields, type, month: createdAt.slice(0, 7), model: forecast?.model }
    return JSON.stringify(keys[table]) === JSON.stringify(key)
  })
  return members.map(({ index }) => index)
}
