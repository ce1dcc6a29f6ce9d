import { utf8ToBytes } from '@noble/hashes/utils'
import { isText } from '../field-checks.ts'
import type { Hex } from '../hex.ts'
import { readCandleText } from './candle-text.ts'
import type { Candle } from './candles.ts'
import {
  type CandleLists,
  checkCandleList,
  evaluatePrediction,
  listMissingMinutes,
  type PredictionResult,
  parseCandleLists,
} from './metrics.ts'
import { computeHorizon, type Prediction, readKeys } from './prediction.ts'

/** The signal that an outcome message must be about. */
export interface PredictedSignal {
  id: string
  /** SHA-256 of the signal message. */
  hash: Hex
  prediction: Prediction
}

/** The verdict that follows from the candles of a message, and these candles. */
export interface EvaluatedOutcome {
  result: PredictionResult
  candles: CandleLists
}

const maxBytes = 65_536
const maxNoteLength = 200
const messageKeys = ['type', 'id', 'signalHash', 'verdict', 'measured', 'candles', 'missing', 'voidReason', 'note']

/**
 * Recomputes the outcome that a message reports.
 * @throws Error with the reason if the message is malformed, is about another signal, or reports
 * something that does not follow from its candles
 */
export function evaluateOutcomeMessage(text: string, signal: PredictedSignal): EvaluatedOutcome {
  const { prediction } = signal
  const { message, parsedCandles } = readMessage(text, prediction)
  if (message.id !== signal.id) throw new Error("The message's id is not that of the signal")
  if (message.signalHash !== signal.hash) throw new Error("The message's signalHash is not that of the signal")
  const candles = parsedCandles
    ? checkCandleList(prediction, parsedCandles)
    : parseCandleLists(prediction, message.candles, message.otherCandles)
  assertMissing(message.missing, listMissingMinutes(prediction, candles))
  const result = evaluatePrediction(prediction, candles)
  for (const key of ['measured', 'verdict', 'voidReason'] as const) {
    if (message[key] === result[key]) continue
    throw new Error(`The message's ${key} does not follow from its candles, which give ${result[key]}`)
  }
  return { result, candles }
}

/**
 * Rejects an outcome before the end of the horizon, even if the threshold was reached earlier.
 * @throws Error if the horizon is not over
 */
export function assertHorizonOver(prediction: Prediction, nowMs: number): void {
  const endMs = computeHorizon(prediction).until * 1000
  if (nowMs < endMs) throw new Error(`The horizon does not end before ${new Date(endMs).toISOString()}`)
}

/** @returns `parsedCandles`: the candles if readCandleText could read them, else null */
function readMessage(
  text: string,
  { metric }: Prediction,
): { message: { readonly [key: string]: unknown }; parsedCandles: Candle[] | null } {
  // UTF-8 needs at least one byte for each UTF-16 code unit, so a text with too many code units is
  // rejected without encoding it.
  if (text.length > maxBytes || utf8ToBytes(text).length > maxBytes) throw new Error('The message is above 64 KiB')
  // Candles are nearly all of the text, so they are read by the faster readCandleText. The message
  // of a spread is parsed by JSON.parse, because it has two lists of candles.
  const candleText = metric === 'spread' || !hasPlainKeys(text) ? null : readCandleText(text, 'candles')
  const value = parseJson(candleText ? `${text.slice(0, candleText.from)}null${text.slice(candleText.until)}` : text)
  const message = readKeys(value, 'message', metric === 'spread' ? [...messageKeys, 'otherCandles'] : messageKeys)
  if (message.type !== 'outcome') throw new Error("The message's type is not outcome")
  const { note } = message
  if (!isText(note) || note.length > maxNoteLength) {
    throw new Error(`The message's note is not text of up to ${maxNoteLength} characters`)
  }
  return { message, parsedCandles: candleText?.candles ?? null }
}

/**
 * True if the text has no second object and no escapes. Then every key in the text belongs to the
 * message itself, and no key can occur again in an escaped spelling.
 */
function hasPlainKeys(text: string): boolean {
  return text.indexOf('{', 1) === -1 && !text.includes('\\')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function assertMissing(claimedMinutes: unknown, missingMinuteTimes: readonly number[]): void {
  const isSame =
    Array.isArray(claimedMinutes) &&
    claimedMinutes.length === missingMinuteTimes.length &&
    missingMinuteTimes.every((minute, index) => minute === claimedMinutes[index])
  if (!isSame)
    throw new Error("The message's missing does not list exactly the minutes of the horizon without a candle")
}
