import type { Prediction, Venue } from '@tocsin/engine'
import { computeHorizon, computeWindow, hashSignal, type PredictionResult } from '@tocsin/proof'
import type { CandleRow } from './candles.ts'
import type { Message, OpenPrediction, Outbox } from './store/outbox.ts'

/**
 * Fetches published candles that open from `from` (inclusive) to `to` (exclusive), in seconds.
 * @throws Error if the candles are not available now
 */
export type CandleSource = (venue: Venue, symbol: string, from: number, to: number) => Promise<CandleRow[]>

/** Thrown for candles that the exchange no longer publishes, so that a retry cannot help. */
export class LostCandles extends Error {
  constructor() {
    super('The exchange no longer publishes these candles')
    this.name = 'LostCandles'
  }
}

interface EvaluatedCandles extends PredictionResult {
  /** Open times of the minutes of the horizon without a candle. */
  missing: number[]
}

/** Measures the metric on the candles, as docs/signal-protocol.md defines it. */
export type EvaluatePrediction = (
  prediction: Prediction,
  candles: CandleRow[],
  other: CandleRow[] | null,
) => EvaluatedCandles

export interface OutcomeOptions {
  outbox: Outbox
  candles: CandleSource
  evaluate: EvaluatePrediction
  /**
   * Maximum number of outcomes that are fetched at a time. With 1, the order of outcomes does not
   * depend on how fast candles arrive.
   */
  concurrency: number
  nowMs(): number
  /** Newest time that the exchanges have stated. */
  exchangeMs(): number
  report(messages: Message[]): void
  log(message: string, details: Record<string, unknown>): void
}

/**
 * Time from the end of a horizon until its candles are fetched. The exchange needs it to publish
 * the last candle.
 */
const READY_MS: Partial<Record<Venue, number>> = { coinbase: 6_000, kraken: 6_000 }
const DEFAULT_READY_MS = 3_000
/**
 * Time after a horizon in which exchanges may still publish missing candles. The longer time
 * applies if the candle of the last minute is missing.
 */
const LATE_CANDLES_MS = 50_000
const LATE_NEWEST_CANDLE_MS = 5 * 60_000
const RETRY_MS = 5_000
/** Maximum delay between attempts, before and after the prediction's `resolveBy`. */
const MAX_RETRY_MS = { inTime: 60_000, late: 15 * 60_000 }

/**
 * Fetches the candles after each horizon and reports the outcome, until each prediction has one. A
 * prediction whose candles are lost stays without an outcome, so the track record counts it as
 * overdue.
 */
export function createOutcomeWorker({
  outbox,
  candles,
  evaluate,
  concurrency,
  nowMs,
  exchangeMs,
  report,
  log,
}: OutcomeOptions) {
  const attempts = new Map<string, { nextMs: number; delayMs: number }>()
  const runningIds = new Set<string>()

  const isDue = ({ id, prediction }: OpenPrediction): boolean =>
    !runningIds.has(id) &&
    !outbox.has('outcome', id) &&
    nowMs() >= Math.max(computeReadyAtMs(prediction), attempts.get(id)?.nextMs ?? 0)
  const resolvePrediction = async (openPrediction: OpenPrediction, fetchOnce: CandleSource): Promise<void> => {
    const { prediction } = openPrediction
    const { venue, market, other } = prediction
    const { from, until } = computeWindow(prediction)
    const ownCandles = await fetchOnce(venue, market, from, until)
    const otherMarketCandles = other ? await fetchOnce(other.venue, other.market, from, until) : null
    const result = evaluate(prediction, ownCandles, otherMarketCandles)
    const lateCandlesMs = result.missing.includes(until - 60) ? LATE_NEWEST_CANDLE_MS : LATE_CANDLES_MS
    // Use the earlier time. If the clock of this machine is ahead, minutes that are not over yet
    // would seem missing.
    const earlierClockMs = Math.min(nowMs(), exchangeMs())
    if (result.missing.length === 0 || earlierClockMs >= until * 1_000 + lateCandlesMs)
      report([createOutcomeMessage(openPrediction, ownCandles, otherMarketCandles, result, nowMs())])
  }
  const attemptOutcome = async (openPrediction: OpenPrediction, fetchOnce: CandleSource): Promise<void> => {
    const { id } = openPrediction
    const { delayMs } = attempts.get(id) ?? { delayMs: RETRY_MS }
    runningIds.add(id)
    try {
      attempts.set(id, { nextMs: nowMs() + RETRY_MS, delayMs })
      await resolvePrediction(openPrediction, fetchOnce)
      const waitMs = computeReadyAtMs(openPrediction.prediction) - exchangeMs()
      if (waitMs > RETRY_MS) attempts.set(id, { nextMs: nowMs() + waitMs, delayMs })
    } catch (error) {
      const isInTime = nowMs() < Date.parse(openPrediction.prediction.resolveBy)
      const maxMs = isInTime ? MAX_RETRY_MS.inTime : MAX_RETRY_MS.late
      const nextMs = error instanceof LostCandles ? Number.POSITIVE_INFINITY : nowMs() + delayMs
      attempts.set(id, { nextMs, delayMs: Math.min(2 * delayMs, maxMs) })
      log('the outcome of a prediction cannot be sent', {
        id,
        error: error instanceof Error ? error.message : String(error),
      })
    } finally {
      runningIds.delete(id)
    }
  }
  return {
    /** Starts the attempts that are due. Resolves when these attempts have ended. */
    async check(): Promise<void> {
      const openPredictions = outbox.openPredictions()
      const ids = new Set(openPredictions.map(({ id }) => id))
      for (const id of attempts.keys()) if (!ids.has(id)) attempts.delete(id)
      const duePredictions = openPredictions.filter(isDue)
      const workers = Math.max(0, Math.min(concurrency - runningIds.size, duePredictions.length))
      const fetchOnce = coalesce(candles)
      const runWorker = async () => {
        for (let nextPrediction = duePredictions.shift(); nextPrediction; nextPrediction = duePredictions.shift()) {
          // A later check may have attempted it in the meantime.
          if (isDue(nextPrediction)) await attemptOutcome(nextPrediction, fetchOnce)
        }
      }
      await Promise.all(Array.from({ length: workers }, runWorker))
    },
    /** Number of predictions whose horizon is over and that have no outcome yet. */
    countDue: (): number =>
      outbox.openPredictions().filter(({ prediction }) => nowMs() >= computeReadyAtMs(prediction)).length,
  }
}

/**
 * Requests the same candles only once in a check, because predictions of one crash need the same
 * candles.
 */
function coalesce(candles: CandleSource): CandleSource {
  const requests = new Map<string, ReturnType<CandleSource>>()
  return (venue, symbol, from, to) => {
    const key = [venue, symbol, from, to].join()
    const request = requests.get(key) ?? candles(venue, symbol, from, to)
    requests.set(key, request)
    return request
  }
}

function computeReadyAtMs(prediction: Prediction): number {
  const { venue, other } = prediction
  const waitsMs = [venue, ...(other ? [other.venue] : [])].map((one) => READY_MS[one] ?? DEFAULT_READY_MS)
  return computeHorizon(prediction).until * 1_000 + Math.max(...waitsMs)
}

function createOutcomeMessage(
  { id, text }: OpenPrediction,
  candles: CandleRow[],
  otherCandles: CandleRow[] | null,
  { verdict, measured, missing, voidReason }: EvaluatedCandles,
  at: number,
): Message {
  const message = {
    type: 'outcome',
    id,
    signalHash: hashSignal(text),
    verdict,
    measured,
    candles,
    ...(otherCandles ? { otherCandles } : {}),
    missing,
    voidReason,
    note: '',
  }
  return { kind: 'outcome', id, text: JSON.stringify(message), at }
}
