import type { Alert, AlertOutcome } from '@tocsin/protocol'
import { clockTime } from '../../ui/format-time.ts'
import { type TimeStyle, utcStyle } from '../../ui/time-style.ts'
import { comparisonWords, groupDigits, thresholdWords } from './amount-words.ts'

export type Prediction = NonNullable<Alert['prediction']>

const venues: { [venue: string]: string } = {
  binance: 'Binance',
  'binance-usdm': 'Binance USD-M',
  coinbase: 'Coinbase',
  kraken: 'Kraken',
  okx: 'OKX',
  simulated: 'the simulated market',
}

/** Name of a venue. A venue without a known name is shown as the prediction states it. */
export function venueName(venue: string): string {
  return venues[venue] ?? venue
}

const place = ({ venue, market }: { venue: string; market: string }) => `${market} on ${venueName(venue)}`

/** "5 min", "60 min", "2 h", "150 min". */
function horizonWords(seconds: number): string {
  const minutes = seconds / 60
  return minutes > 60 && minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}

/**
 * The type of an alert with the horizon of its prediction, so that two alerts of one event for two
 * horizons differ: "Price move, 60 min". Types of the engine's short horizon already name it.
 */
export function typeWords({ anomalyType, prediction }: Pick<Alert, 'anomalyType' | 'prediction'>): string {
  const horizon = prediction && horizonWords(prediction.horizonSeconds)
  if (!horizon || anomalyType === '' || anomalyType.endsWith(horizon)) return anomalyType
  return `${anomalyType}, ${horizon}`
}

/** The expected change, after "Expects" or "Expected". */
function subject(prediction: Prediction, threshold: string, from: string): string {
  switch (prediction.metric) {
    case 'maxExcursion':
      return `a move of ${threshold} or more from ${from}`
    case 'volume':
      return `a volume of ${threshold} or more in ${place(prediction)}`
    case 'realisedVariance':
      return `a volatility of ${threshold} or more in ${place(prediction)}`
    case 'spread':
      return `a spread of ${threshold} or more between ${place(prediction)} and ${place(prediction.other ?? prediction)}`
  }
}

export interface SentenceOptions {
  /** Close of the reference candle; before the outcome, of its minute by received trades. */
  reference?: string | null
  style?: TimeStyle
}

/**
 * The price from which a move is measured, or the time of that price until candles show it. It is
 * the close of the candle before the start.
 */
function fromWords({ startsAt }: Prediction, { reference, style = utcStyle }: SentenceOptions): string {
  if (reference) return groupDigits(reference)
  return `the price at ${clockTime(Date.parse(startsAt), style)}`
}

/** "Expects a move of 1.40% or more from 61,204.11 within 60 min". */
export function formatExpectation(prediction: Prediction, options: SentenceOptions = {}): string {
  const threshold = thresholdWords(prediction.metric, prediction.threshold)
  const horizon = horizonWords(prediction.horizonSeconds)
  return `Expects ${subject(prediction, threshold, fromWords(prediction, options))} within ${horizon}`
}

/** "Expected a move of 1.40% or more from 61,204.11 within 60 min; measured 1.46%". */
export function expectedWords(
  prediction: Prediction,
  outcome: Pick<AlertOutcome, 'verdict' | 'measured'> | undefined,
  options: SentenceOptions = {},
): string {
  const { metric, threshold: limit, horizonSeconds } = prediction
  const [threshold, value] =
    outcome?.measured == null
      ? [thresholdWords(metric, limit), null]
      : comparisonWords(metric, limit, outcome.measured, outcome.verdict === 'did-not')
  const what = `${subject(prediction, threshold, fromWords(prediction, options))} within ${horizonWords(horizonSeconds)}`
  return value === null ? `Expected ${what}` : `Expected ${what}; measured ${value}`
}

/** What the public record says about predictions of this type. */
export interface TypeRecord {
  /** Outcomes of this model and type; below 150 their confidence is not calibrated. */
  resolved: number
  /** Share of random minutes at which the same rules came true. */
  baseRate: number | null
  /** "of the simulated market" in a demo, otherwise empty. */
  scope: string
}

const resolvedBeforeCalibration = 150

/**
 * How often such predictions come true: "such came true 43 of 100 times, 8 at random minutes".
 * `confidence` says so only if it is calibrated.
 * @param record null if it is unknown
 */
export function confidenceWords(confidence: number, record: TypeRecord | null): string {
  if (record === null) return `confidence ${confidence.toFixed(0)}%`
  const note = calibrationNote(record)
  if (note !== null) return `confidence ${confidence.toFixed(0)}%, ${note}`
  const random = record.baseRate === null ? '' : `, ${Math.round(100 * record.baseRate)} at random minutes`
  return `such came true ${Math.round(confidence)} of 100 times${random}${scopeWords(record)}`
}

/** "not calibrated yet, n 37". Null if confidences of the type are calibrated. */
export function calibrationNote(record: TypeRecord): string | null {
  if (record.resolved >= resolvedBeforeCalibration) return null
  return `not calibrated yet, n ${record.resolved}${scopeWords(record)}`
}

const scopeWords = ({ scope }: TypeRecord) => (scope === '' ? '' : ` ${scope}`)
