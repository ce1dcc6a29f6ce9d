import { createHash } from 'node:crypto'
import {
  type Candle,
  type ControlRate,
  type ControlTask,
  computeHorizon,
  findControlBlock,
  formatDay,
  type Hex,
  listControlTasks,
  measureControlRates,
  type RecordAlert,
  type RecordAnchor,
} from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { StoredResult } from './record-store.ts'
import * as store from './store.ts'

/**
 * The control rate of an alert (docs/log-format.md, 14.4): its prediction came true at `cameTrue`
 * of `minutes` control minutes. A block hash selects the control minutes from the day of the
 * prediction. `minutes` is 0 if no control minute could be measured.
 */
export interface MeasuredRate {
  minutes: number
  cameTrue: number
  /** Identifies the block that selects the minutes, and the candles that were available. */
  key: string
}

interface Day {
  key: string
  markets: store.MarketDay[]
}

/**
 * Finds the control rates of a record. A stored rate is used until another block selects the
 * control minutes of the day or further candles arrive. Reads the candles of one day at a time,
 * because those of all days do not fit in memory.
 */
export async function createControlRates(ctx: Context, asOf: RecordAnchor) {
  const rows = await store.listDayAnchors(ctx.db, asOf.size)
  // The cast is safe, because the anchoring worker stores hashes as the node writes them.
  const anchors: RecordAnchor[] = rows.map(({ blockAt, blockHash, ...row }) => ({
    ...row,
    blockAt: blockAt.toISOString(),
    blockHash: blockHash as Hex,
  }))
  // The last anchor is needed to count the confirmations of the others.
  anchors.push(asOf)
  /** The markets and the rate key of each day. Null for days without candles or control block. */
  const days = new Map<string, Day | null>()

  async function loadDays(wantedDays: readonly string[]): Promise<void> {
    const newDays = wantedDays.filter((day) => !days.has(day))
    const counts = await store.listCandleCounts(ctx.db, newDays)
    for (const day of newDays) {
      const blockHash = findControlBlock(anchors, day)
      const markets = counts.filter((candleCount) => candleCount.day === day)
      const key = createHash('sha256')
        .update(JSON.stringify([blockHash, markets]))
        .digest('base64url')
      days.set(day, blockHash === null || markets.length === 0 ? null : { key, markets })
    }
  }

  return {
    /**
     * Returns the rates by log index.
     * @param storedResults the results that earlier computations have stored
     */
    async find(alerts: readonly RecordAlert[], storedResults: ReadonlyMap<number, StoredResult | null>) {
      const byDay = groupByDay(listControlTasks(alerts))
      await loadDays([...byDay.keys()])
      const rates = new Map<number, MeasuredRate>()
      for (const [name, tasks] of byDay) {
        const day = days.get(name)
        if (!day) continue
        const { key } = day
        const unmeasuredTasks = tasks.filter(({ index }) => storedResults.get(index)?.controlsKey !== key)
        const measuredRates =
          unmeasuredTasks.length > 0
            ? await measureDay(ctx, unmeasuredTasks, anchors, day.markets)
            : new Map<number, ControlRate>()
        for (const { index } of tasks) {
          const { controlsKey, controlMinutes, controlsCameTrue } = storedResults.get(index) ?? {}
          const storedRate = { minutes: controlMinutes ?? 0, cameTrue: controlsCameTrue ?? 0 }
          const rate = controlsKey === key ? storedRate : measuredRates.get(index)
          rates.set(index, { minutes: 0, cameTrue: 0, ...rate, key })
        }
      }
      return rates
    },
  }
}

function groupByDay(tasks: readonly ControlTask[]): Map<string, ControlTask[]> {
  const days = new Map<string, ControlTask[]>()
  for (const task of tasks) {
    const day = formatDay(computeHorizon(task.prediction).from)
    const tasksOfDay = days.get(day)
    if (tasksOfDay) tasksOfDay.push(task)
    else days.set(day, [task])
  }
  return days
}

async function measureDay(
  ctx: Context,
  tasks: readonly ControlTask[],
  anchors: readonly RecordAnchor[],
  markets: readonly store.MarketDay[],
) {
  const candles = new Map<string, Candle[]>()
  for (const { venue, market, day } of markets) {
    const dayCandles = await store.findCandles(ctx.db, { venue, market, day })
    if (dayCandles) candles.set(JSON.stringify([venue, market, day]), dayCandles)
  }
  return measureControlRates(tasks, anchors, {
    isArchive: false,
    read: ({ venue, market }, day) => candles.get(JSON.stringify([venue, market, day])) ?? null,
  })
}
