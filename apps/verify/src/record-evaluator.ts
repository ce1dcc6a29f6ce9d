import { createHash } from 'node:crypto'
import {
  type ControlRate,
  type ControlTask,
  computeHorizon,
  evaluateOutcome,
  formatDay,
  type Hex,
  measureControlRates,
  type OutcomeResult,
  type OutcomeTask,
  type Prediction,
  type RecordAnchor,
} from '@tocsin/proof'
import { createCandleReader } from './candle-reader.ts'

/** Performs the slowest parts of recomputing a record. Arguments and results are plain data. */
export interface RecordEvaluator {
  evaluate(tasks: readonly OutcomeTask[]): Promise<OutcomeResult[]>
  /**
   * Measures the control minutes of predictions of one day. `anchors` are sorted by size, and
   * include at least the first anchor of a later day and the last of all anchors.
   * @param fromServer true to use the candles of the server although there is an archive
   */
  measure(
    tasks: readonly ControlTask[],
    anchors: readonly RecordAnchor[],
    fromServer?: boolean,
  ): Promise<[number, ControlRate][]>
}

export interface EvaluatorOptions {
  /** Folder or URL template of an archive, or null for the candles of the server. */
  candles: string | null
  serverUrl: string
  timeoutMs: number
}

export function createRecordEvaluator({
  candles: candleArchive,
  serverUrl,
  timeoutMs,
}: EvaluatorOptions): RecordEvaluator {
  const [server, limits] = [new URL(serverUrl), { timeoutMs }]
  const serverReader = createCandleReader(null, server, limits)
  const archiveReader = candleArchive === null ? serverReader : createCandleReader(candleArchive, server, limits)
  return {
    async evaluate(tasks) {
      const results: OutcomeResult[] = []
      for (const task of tasks) {
        const source = await archiveReader.loadWindow(task.signal.prediction)
        results.push(evaluateOutcome(task, hashMessage, source))
      }
      return results
    },
    async measure(tasks, anchors, fromServer = false) {
      const reader = fromServer ? serverReader : archiveReader
      const rates: [number, ControlRate][] = []
      for (const { prediction, ofMarket } of groupByMarket(tasks)) {
        const source = await reader.loadDay(prediction, formatDay(computeHorizon(prediction).from))
        rates.push(...measureControlRates(ofMarket, anchors, source))
      }
      return rates
    },
  }
}

/** Groups tasks, so that the candles of only one market need to be in memory at a time. */
function groupByMarket(tasks: readonly ControlTask[]) {
  const groups = new Map<string, { prediction: Prediction; ofMarket: ControlTask[] }>()
  for (const task of tasks) {
    const { prediction } = task
    const { venue, market, other } = prediction
    const key = JSON.stringify([venue, market, other])
    const group = groups.get(key)
    if (group) group.ofMarket.push(task)
    else groups.set(key, { prediction, ofMarket: [task] })
  }
  return groups.values()
}

/** Hashes a message with Node.js, which is much faster than hashing in JavaScript. */
export function hashMessage(message: string): Hex {
  return `0x${createHash('sha256').update(message).digest('hex')}`
}
