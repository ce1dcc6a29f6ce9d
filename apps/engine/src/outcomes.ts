import type { Prediction, Venue } from '@tocsin/engine'
import { hashSignal, type PredictionResult } from '@tocsin/proof'
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

const REFERENCE_SECONDS = 300
/**
 * Time from the end of a horizon until its candles are fetched. The exchange needs it to publish
 * the last candle.
 */
const READY_MS: Partial<Record<Venue, number>> = { coinbase: 6_000, kraken: 6_000 }
const DEFAULT_READY_MS = 3_000
/**
 * Time after a horizon in which exchanges may still publish missing minutes. It is longer for the
 * newest minute.
 */
const SETTLE_MS = 50_000
const SETTLE_NEWEST_MS = 5 * 60_000
const RETRY_MS = 5_000
/** Maximum delay between attempts: while the outcome can still count, and after that. */
const MAX_RETRY_MS = { inTime: 60_000, late: 15 * 60_000 }

/**
 * Fetches the candles after each horizon and reports the outcome, until each prediction has one. A
 * prediction whose candles are lost stays without an outcome, so the record counts it as overdue.
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
  const running = new Set<string>()

  const resolve = async (open: OpenPrediction, fetchOnce: CandleSource): Promise<void> => {
    const { prediction } = open
    const { startsAt, horizonSeconds, venue, market, other } = prediction
    const startSeconds = Date.parse(startsAt) / 1_000
    const endSeconds = startSeconds + horizonSeconds
    const own = await fetchOnce(venue, market, startSeconds - REFERENCE_SECONDS, endSeconds)
    const others = other
      ? await fetchOnce(other.venue, other.market, startSeconds - REFERENCE_SECONDS, endSeconds)
      : null
    const result = evaluate(prediction, own, others)
    const settleMs = result.missing.includes(endSeconds - 60) ? SETTLE_NEWEST_MS : SETTLE_MS
    // Use the earlier time. If the clock of this machine is ahead, minutes that are not over yet
    // would seem missing.
    const earlierClockMs = Math.min(nowMs(), exchangeMs())
    if (result.missing.length === 0 || earlierClockMs >= endSeconds * 1_000 + settleMs)
      report([outcomeMessage(open, own, others, result, nowMs())])
  }
  const attempt = async (open: OpenPrediction, fetchOnce: CandleSource): Promise<void> => {
    const { id } = open
    const { delayMs } = attempts.get(id) ?? { delayMs: RETRY_MS }
    running.add(id)
    try {
      attempts.set(id, { nextMs: nowMs() + RETRY_MS, delayMs })
      await resolve(open, fetchOnce)
      const waitMs = computeReadyAtMs(open.prediction) - exchangeMs()
      if (waitMs > RETRY_MS) attempts.set(id, { nextMs: nowMs() + waitMs, delayMs })
    } catch (error) {
      const isInTime = nowMs() < Date.parse(open.prediction.resolveBy)
      const maxMs = isInTime ? MAX_RETRY_MS.inTime : MAX_RETRY_MS.late
      const nextMs = error instanceof LostCandles ? Number.POSITIVE_INFINITY : nowMs() + delayMs
      attempts.set(id, { nextMs, delayMs: Math.min(2 * delayMs, maxMs) })
      log('the candles of a prediction cannot be fetched', {
        id,
        error: error instanceof Error ? error.message : String(error),
      })
    } finally {
      running.delete(id)
    }
  }
  return {
    /** Starts the attempts that are due. Resolves when these attempts have ended. */
    async check(): Promise<void> {
      const open = outbox.openPredictions()
      const ids = new Set(open.map(({ id }) => id))
      for (const id of attempts.keys()) if (!ids.has(id)) attempts.delete(id)
      const due = open.filter(
        ({ id, prediction }) =>
          !running.has(id) && nowMs() >= computeReadyAtMs(prediction) && nowMs() >= (attempts.get(id)?.nextMs ?? 0),
      )
      const workers = Math.max(0, Math.min(concurrency - running.size, due.length))
      const fetchOnce = coalesce(candles)
      const work = async () => {
        for (let next = due.shift(); next; next = due.shift()) await attempt(next, fetchOnce)
      }
      await Promise.all(Array.from({ length: workers }, work))
    },
    /** Number of predictions whose horizon is over and that have no outcome yet. */
    overdue: (): number =>
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

function computeReadyAtMs({ startsAt, horizonSeconds, venue, other }: Prediction): number {
  const wait = [venue, ...(other ? [other.venue] : [])].map((one) => READY_MS[one] ?? DEFAULT_READY_MS)
  return Date.parse(startsAt) + horizonSeconds * 1_000 + Math.max(...wait)
}

function outcomeMessage(
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
