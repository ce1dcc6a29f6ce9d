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
const BATCH = 100
/** Number of calls of each evaluator that may be pending before a caller waits for the oldest. */
const MAX_RUNNING = 3
const DAY_SECONDS = 86_400

/** Creates the queue of one evaluator, with the tasks that wait for it. */
function createQueue(evaluator: RecordEvaluator, reader: ReturnType<typeof createRecordReader>) {
  let tasks: OutcomeTask[] = []
  const running: Promise<void>[] = []
  const start = async (work: Promise<void>) => {
    // The promise is awaited later. Without this handler, a rejection would end the process before.
    work.catch(() => {})
    running.push(work)
    if (running.length > MAX_RUNNING) await running.shift()
  }
  const flush = async () => {
    const batch = tasks
    tasks = []
    const settle = (results: Awaited<ReturnType<RecordEvaluator['evaluate']>>) => {
      for (const [at, task] of batch.entries()) {
        const result = results[at]
        if (result) reader.settle(task, result)
      }
    }
    if (batch.length > 0) await start(evaluator.evaluate(batch).then(settle))
  }
  return {
    start,
    async add(task: OutcomeTask) {
      tasks.push(task)
      if (tasks.length === BATCH) await flush()
    },
    async finish() {
      await flush()
      await Promise.all(running)
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
  const places = new Map<string, number>()
  const rates = new Map<number, ControlRate>()
  /** Predictions by day and by position of their evaluator. */
  const days = new Map<string, ControlTask[][]>()

  /** Returns the position of the evaluator of a market. A market always has the same evaluator. */
  const assignPlace = ({ venue, market }: Prediction) => {
    const key = `${venue} ${market}`
    const place = places.get(key) ?? places.size % queues.length
    places.set(key, place)
    return place
  }
  const queueAt = (place: number) => {
    const queue = queues[place]
    if (!queue) throw new Error('A record needs an evaluator')
    return queue
  }
  const measureDays = async (before: string) => {
    for (const [day, byPlace] of days) {
      if (day >= before) continue
      days.delete(day)
      for (const [place, tasks] of byPlace.entries()) {
        const { evaluator, start } = queueAt(place)
        const keep = (found: [number, ControlRate][]) => {
          for (const [index, rate] of found) rates.set(index, rate)
        }
        if (tasks.length > 0) await start(evaluator.measure(tasks, drawingAnchors(anchors, day)).then(keep))
      }
    }
  }

  return {
    async evaluate(task: OutcomeTask): Promise<void> {
      const { prediction } = task.signal
      await queueAt(assignPlace(prediction)).add(task)
      // Measure all days before the previous day. Their predictions have ended, because horizons
      // are shorter than a day, so all of them have been passed on.
      await measureDays(formatDay(computeHorizon(prediction).from - DAY_SECONDS))
    },

    async measure(task: ControlTask): Promise<void> {
      const day = formatDay(computeHorizon(task.prediction).from)
      const byPlace = days.get(day) ?? queues.map(() => [])
      days.set(day, byPlace)
      byPlace[assignPlace(task.prediction)]?.push(task)
    },

    /** Returns the control rates by index, after everything has been evaluated and measured. */
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
function drawingAnchors(anchors: readonly RecordAnchor[], day: string): RecordAnchor[] {
  const first = anchors.find(({ blockAt }) => blockAt.slice(0, day.length) > day)
  const last = anchors.at(-1)
  return first && last ? [first, last] : []
}
