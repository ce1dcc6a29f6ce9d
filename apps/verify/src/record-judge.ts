import { createHash } from 'node:crypto'
import {
  type ControlRate,
  type ControlTask,
  dayOf,
  type Hex,
  horizonOf,
  judgeOutcome,
  measureControlRates,
  type OutcomeResult,
  type OutcomeTask,
  type RecordAnchor,
} from '@tocsin/proof'
import { createCandleReader } from './candle-reader.ts'

/**
 * Performs the parts of a record that take most of the time. Arguments and results are plain data.
 */
export interface RecordJudge {
  judge(tasks: readonly OutcomeTask[]): Promise<OutcomeResult[]>
  /**
   * Measures the control minutes of predictions of one day. `anchors` are sorted by size, and
   * include at least the first anchor of a later day and the last of all anchors.
   */
  measure(tasks: readonly ControlTask[], anchors: readonly RecordAnchor[]): Promise<[number, ControlRate][]>
}

export interface JudgeOptions {
  /** Folder or URL template of an archive, or null for the candles of the server. */
  candles: string | null
  serverUrl: string
  timeoutMs: number
}

export function createRecordJudge({ candles: where, serverUrl, timeoutMs }: JudgeOptions): RecordJudge {
  const candles = createCandleReader(where, new URL(serverUrl), { timeoutMs })
  return {
    async judge(tasks) {
      const results: OutcomeResult[] = []
      for (const task of tasks) {
        await candles.loadWindow(task.signal.prediction)
        results.push(judgeOutcome(task, hashMessage, candles.source))
      }
      return results
    },
    async measure(tasks, anchors) {
      for (const { prediction } of tasks) await candles.loadDay(prediction, dayOf(horizonOf(prediction).from))
      return [...measureControlRates(tasks, anchors, candles.source)]
    },
  }
}

/** Hashes a message with Node.js, which is much faster than hashing in JavaScript. */
export function hashMessage(message: string): Hex {
  return `0x${createHash('sha256').update(message).digest('hex')}`
}
