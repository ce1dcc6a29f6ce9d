import {
  type ControlRate,
  type ControlTask,
  computeHorizon,
  type createRecordReader,
  formatDay,
  type OutcomeTask,
  type Prediction,
  type RecordAnchor,
} from '@tocsin/proof'
import type { RecordEvaluator } from './record-evaluator.ts'

/** Number of outcome tasks in one call of `RecordEvaluator.evaluate`. */
const BATCH_SIZE = 100
/** Number of calls of each evaluator that may be pending before a caller waits for the oldest. */
const MAX_RUNNING = 3
const DAY_SECONDS = 86_400

/** Creates the queue of one evaluator, with the tasks that wait for it. */
function createQueue(evaluator: RecordEvaluator, reader: ReturnType<typeof createRecordReader>) {
  let tasks: OutcomeTask[] = []
  const runningWork: Promise<void>[] = []
  const startWork = async (work: Promise<void>) => {
    // The promise is awaited later. Without this handler, an early rejection would end the process.
    work.catch(() => {})
    runningWork.push(work)
    if (runningWork.length > MAX_RUNNING) await runningWork.shift()
  }
  const flush = async () => {
    const batch = tasks
    tasks = []
    const recordResults = (results: Awaited<ReturnType<RecordEvaluator['evaluate']>>) => {
      for (const [taskIndex, task] of batch.entries()) {
        const result = results[taskIndex]
        if (result) reader.settle(task, result)
      }
    }
    if (batch.length > 0) await startWork(evaluator.evaluate(batch).then(recordResults))
  }
  return {
    start: startWork,
    async add(task: OutcomeTask) {
      tasks.push(task)
      if (tasks.length === BATCH_SIZE) await flush()
    },
    async finish() {
      await flush()
      await Promise.all(runningWork)
    },
  }
}

/**
 * Passes outcomes and control minutes to the evaluators as a reader finds them. They are in time
 * order, so that an evaluator holds the candles of only a few days at the same time.
 */
export function createRecordWork(
  evaluators: readonly RecordEvaluator[],
  reader: ReturnType<typeof createRecordReader>,
  anchors: readonly RecordAnchor[],
) {
  const queues = evaluators.map((evaluator) => ({ evaluator, ...createQueue(evaluator, reader) }))
  const queueIndexes = new Map<string, number>()
  const rates = new Map<number, ControlRate>()
  /** Control tasks by day and by queue index. */
  const days = new Map<string, ControlTask[][]>()

  /** Returns the queue index of a market. All predictions of a market use the same queue. */
  const assignQueueIndex = ({ venue, market }: Prediction) => {
    const key = `${venue} ${market}`
    const queueIndex = queueIndexes.get(key) ?? queueIndexes.size % queues.length
    queueIndexes.set(key, queueIndex)
    return queueIndex
  }
  const getQueue = (queueIndex: number) => {
    const queue = queues[queueIndex]
    if (!queue) throw new Error('A record needs an evaluator')
    return queue
  }
  const measureDays = async (before: string) => {
    for (const [day, tasksByQueue] of days) {
      if (day >= before) continue
      days.delete(day)
      for (const [queueIndex, tasks] of tasksByQueue.entries()) {
        const { evaluator, start } = getQueue(queueIndex)
        const storeRates = (measuredRates: [number, ControlRate][]) => {
          for (const [index, rate] of measuredRates) rates.set(index, rate)
        }
        if (tasks.length > 0) await start(evaluator.measure(tasks, selectControlAnchors(anchors, day)).then(storeRates))
      }
    }
  }

  return {
    async evaluate(task: OutcomeTask): Promise<void> {
      const { prediction } = task.signal
      await getQueue(assignQueueIndex(prediction)).add(task)
      // Measure the tasks of all days before the day that precedes the start of this prediction.
      // No more tasks of those days can follow: their predictions have ended, because horizons are
      // shorter than a day.
      await measureDays(formatDay(computeHorizon(prediction).from - DAY_SECONDS))
    },

    async measure(task: ControlTask): Promise<void> {
      const day = formatDay(computeHorizon(task.prediction).from)
      const tasksByQueue = days.get(day) ?? queues.map(() => [])
      days.set(day, tasksByQueue)
      tasksByQueue[assignQueueIndex(task.prediction)]?.push(task)
    },

    /**
     * Waits until all outcomes are evaluated and all control minutes are measured. Returns the
     * control rates by log index.
     */
    async finish(): Promise<ReadonlyMap<number, ControlRate>> {
      await measureDays('9999-99-99')
      for (const queue of queues) await queue.finish()
      return rates
    },
  }
}

/**
 * Returns the anchors that determine which block selects the control minutes of a day: the first
 * anchor of a later day and the last of all anchors. Copying all anchors to a thread for each day
 * takes longer than measuring.
 */
function selectControlAnchors(anchors: readonly RecordAnchor[], day: string): RecordAnchor[] {
  const first = anchors.find(({ blockAt }) => blockAt.slice(0, day.length) > day)
  const last = anchors.at(-1)
  return first && last ? [first, last] : []
}
