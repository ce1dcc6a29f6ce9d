import { isHash, isObject, isText, isTime } from '../field-checks.ts'
import type { Hex } from '../hex.ts'
import { candleSeconds, type Span } from './candles.ts'
import { parseThreshold } from './decimal.ts'

/** A market of an exchange, by the exchange's own symbol. */
export interface Market {
  venue: string
  market: string
}

const metrics = ['maxExcursion', 'volume', 'realisedVariance', 'spread'] as const
export type Metric = (typeof metrics)[number]

/**
 * A prediction about public candles, as stated in a signal. It is part of the signal, so
 * `signalHash` covers it.
 */
export interface Prediction extends Market {
  metric: Metric
  comparison: 'gte'
  /**
   * In the unit of the metric: percent for `maxExcursion` and `spread`, volume units for `volume`,
   * percent squared for `realisedVariance`.
   */
  threshold: number
  /** The market to compare with. Present if and only if the metric is `spread`. */
  other?: Market
  candleSeconds: typeof candleSeconds
  /** Start of the horizon, the period that the prediction covers. A whole minute. */
  startsAt: string
  horizonSeconds: number
  /** An outcome with a later time does not count. */
  resolveBy: string
}

/** The model that made a prediction. */
export interface Model {
  name: string
  version: string
  /** SHA-256 of the settings file. */
  settingsHash: Hex
}

export interface Forecast {
  prediction: Prediction
  model: Model
}

/** Venues whose public archive is known, and the simulated market of the demo. */
export const knownVenues: readonly string[] = ['binance', 'binance-usdm', 'coinbase', 'kraken', 'okx', 'simulated']

const limits = {
  startDelayMs: 120_000,
  horizonSeconds: { min: 300, max: 21_600, maxOfSpread: 10_800 },
  resolveDelayMs: { min: 60_000, max: 3_600_000 },
}

/** The span of the horizon, from `startsAt` (inclusive) to its end (exclusive). */
export function computeHorizon({ startsAt, horizonSeconds }: Prediction): Span {
  const from = Date.parse(startsAt) / 1000
  return { from, until: from + horizonSeconds }
}

/**
 * Reads prediction and model of a signal. Returns null if it has neither. Only whole milliseconds
 * of `observedAt` count.
 * @param origin of the alert that the signal becomes
 * @throws Error naming the rule that prediction or model break; the whole signal is refused then
 */
export function parseForecast(signal: object, origin: 'feed' | 'demo'): Forecast | null {
  const { prediction, model, observedAt }: { prediction?: unknown; model?: unknown; observedAt?: unknown } = signal
  if (prediction === undefined && model === undefined) return null
  if (prediction === undefined) throw new Error('The signal has a model and no prediction')
  if (model === undefined) throw new Error('The signal has a prediction and no model')
  const parsedPrediction = parsePrediction(prediction)
  assertOrigin(parsedPrediction, origin)
  assertStartsAt(parsedPrediction, typeof observedAt === 'string' ? Date.parse(observedAt) : Number.NaN)
  return { prediction: parsedPrediction, model: parseModel(model) }
}

function parsePrediction(value: unknown): Prediction {
  const claim = readKeys(value, 'prediction', predictionKeys, ['other'])
  const { metric, comparison, threshold, venue, market, other, startsAt, horizonSeconds, resolveBy } = claim
  if (!isMetric(metric)) throw new Error(`The prediction's metric is not one of ${metrics.join(', ')}`)
  if (comparison !== 'gte') throw new Error("The prediction's comparison is not gte")
  parseThreshold(threshold)
  const parsedMarket = parseMarket({ venue, market }, 'prediction')
  if (metric !== 'spread' && other !== undefined) throw new Error(`The prediction of ${metric} has another market`)
  if (metric === 'spread' && other === undefined) throw new Error('The prediction of spread has no other market')
  if (claim.candleSeconds !== candleSeconds) throw new Error(`The prediction's candleSeconds is not ${candleSeconds}`)
  if (!isTime(startsAt)) throw new Error("The prediction's startsAt is not a UTC time with milliseconds")
  if (!isTime(resolveBy)) throw new Error("The prediction's resolveBy is not a UTC time with milliseconds")
  const prediction: Prediction = {
    metric,
    comparison,
    threshold: Number(threshold),
    ...parsedMarket,
    ...(other === undefined ? {} : { other: parseMarket(readKeys(other, 'other market', marketKeys), 'other market') }),
    candleSeconds,
    startsAt,
    horizonSeconds: parseHorizon(horizonSeconds, metric),
    resolveBy,
  }
  assertResolveBy(prediction)
  return prediction
}

const marketKeys = ['venue', 'market']
const modelKeys = ['name', 'version', 'settingsHash']
const predictionKeys = [
  'metric',
  'comparison',
  'threshold',
  ...marketKeys,
  'candleSeconds',
  'startsAt',
  'horizonSeconds',
  'resolveBy',
]

/** @throws Error if a key is missing or unknown */
export function readKeys(
  value: unknown,
  name: string,
  requiredKeys: readonly string[],
  optionalKeys: readonly string[] = [],
): { readonly [key: string]: unknown } {
  if (!isObject(value) || Array.isArray(value)) throw new Error(`The ${name} is not an object`)
  const missingKey = requiredKeys.find((key) => !Object.hasOwn(value, key))
  if (missingKey !== undefined) throw new Error(`The ${name} has no ${missingKey}`)
  const unknownKey = Object.keys(value).find((key) => !requiredKeys.includes(key) && !optionalKeys.includes(key))
  if (unknownKey !== undefined) throw new Error(`The ${name} has an unknown key ${JSON.stringify(unknownKey)}`)
  return { ...value }
}

function isMetric(value: unknown): value is Metric {
  return metrics.some((metric) => metric === value)
}

function parseMarket({ venue, market }: { readonly [key: string]: unknown }, name: string): Market {
  if (typeof venue !== 'string' || !/^[a-z0-9-]{1,40}$/.test(venue)) {
    throw new Error(`The ${name}'s venue is not 1 to 40 of a-z, 0-9 and -`)
  }
  if (!isShortText(market, 40)) throw new Error(`The ${name}'s market is not text of 1 to 40 characters`)
  return { venue, market }
}

function isShortText(value: unknown, maxLength: number): value is string {
  return isText(value) && value.length >= 1 && value.length <= maxLength
}

function parseHorizon(value: unknown, metric: Metric): number {
  const { min, maxOfSpread, max: maxOfOthers } = limits.horizonSeconds
  const max = metric === 'spread' ? maxOfSpread : maxOfOthers
  const isAllowed = typeof value === 'number' && value % candleSeconds === 0 && value >= min && value <= max
  if (!isAllowed) throw new Error(`The prediction's horizonSeconds is not a multiple of 60 from ${min} to ${max}`)
  return value
}

function assertResolveBy(prediction: Prediction): void {
  const delayMs = Date.parse(prediction.resolveBy) - computeHorizon(prediction).until * 1000
  const { min, max } = limits.resolveDelayMs
  if (delayMs >= min && delayMs <= max) return
  throw new Error("The prediction's resolveBy is not 60 to 3,600 seconds after the end of its horizon")
}

function assertOrigin({ venue, other }: Prediction, origin: 'feed' | 'demo'): void {
  const isSimulated = venue === 'simulated' || other?.venue === 'simulated'
  if (isSimulated && origin !== 'demo') throw new Error('Only predictions of the demo may name the venue "simulated"')
}

function assertStartsAt({ startsAt }: Prediction, observedMs: number): void {
  const startMs = Date.parse(startsAt)
  if (startMs % (candleSeconds * 1000) !== 0) throw new Error("The prediction's startsAt is not a whole minute")
  if (startMs >= observedMs && startMs <= observedMs + limits.startDelayMs) return
  throw new Error("The prediction's startsAt is not 0 to 120 seconds after observedAt")
}

function parseModel(value: unknown): Model {
  const { name, version, settingsHash } = readKeys(value, 'model', modelKeys)
  if (!isShortText(name, 60)) throw new Error("The model's name is not text of 1 to 60 characters")
  if (!isShortText(version, 40)) throw new Error("The model's version is not text of 1 to 40 characters")
  if (!isHash(settingsHash)) throw new Error("The model's settingsHash is not 0x and 64 lower-case hex digits")
  return { name, version, settingsHash }
}
