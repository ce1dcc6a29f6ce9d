import type { AlertStatement } from '../alert.ts'
import type { Hex } from '../hex.ts'
import type { OutcomeStatement } from '../outcome-entry.ts'
import { getErrorMessage } from '../words.ts'
import type { KnownPrediction } from './alert-status.ts'
import {
  assertHorizonOver,
  type EvaluatedOutcome,
  evaluateOutcomeMessage,
  type PredictedSignal,
} from './outcome-message.ts'
import type { Forecast } from './prediction.ts'
import { readSignalMessage } from './signal-message.ts'

/** Reads entries together with the messages whose hashes they state. */

/** The prediction and the id of an alert's signal, as far as they are known. */
export interface KnownSignal {
  prediction: KnownPrediction
  /** Null if the prediction is not known or breaks a rule. */
  forecast: Forecast | null
  signalId: string
  /** The reason why there is no forecast, or null if none needs to be shown. */
  problem: string | null
}

type HashMessage = (message: string) => Hex

export function createSignalWithoutForecast(
  prediction: Exclude<KnownPrediction, object>,
  problem: string | null = null,
): KnownSignal {
  return { prediction, forecast: null, signalId: '', problem }
}

/** @param message the signal message, or null if it is not available */
export function readSignal(
  { signalHash }: Pick<AlertStatement, 'signalHash'>,
  message: string | null,
  origin: 'feed' | 'demo',
  hash: HashMessage,
): KnownSignal {
  if (signalHash === null) return createSignalWithoutForecast('none')
  if (message === null) return createSignalWithoutForecast('missing', 'The signal message is missing')
  if (hash(message) !== signalHash) return createSignalWithoutForecast('missing', 'The signal message has another hash')
  try {
    const { id, forecast } = readSignalMessage(message, origin)
    if (!forecast) return createSignalWithoutForecast('none')
    return { prediction: forecast.prediction, forecast, signalId: id, problem: null }
  } catch (error) {
    return createSignalWithoutForecast('malformed', getErrorMessage(error))
  }
}

/** @param message the outcome message, or null if it is not available */
export function evaluateEntry(
  statement: Pick<OutcomeStatement, 'verdict' | 'measured' | 'messageHash' | 'createdAt'>,
  message: string | null,
  signal: PredictedSignal,
  hash: HashMessage,
): EvaluatedOutcome | { problem: string } {
  if (message === null) return { problem: 'The outcome message is missing' }
  if (hash(message) !== statement.messageHash) return { problem: 'The outcome message has another hash' }
  try {
    const evaluation = evaluateOutcomeMessage(message, signal)
    for (const key of ['verdict', 'measured'] as const) {
      if (evaluation.result[key] !== statement[key]) throw new Error(`The entry's ${key} is not that of its message`)
    }
    assertHorizonOver(signal.prediction, Date.parse(statement.createdAt))
    return evaluation
  } catch (error) {
    return { problem: getErrorMessage(error) }
  }
}
