import {
  type Candle,
  type ControlRate,
  dayOf,
  findControlBlock,
  horizonOf,
  isCounted,
  listControlTasks,
  measureControlRates,
  type RecordAlert,
  type RecordAnchor,
} from '@tocsin/proof'
import type { Context } from '../../context.ts'
import * as store from './store.ts'

/**
 * Reads the candles of one day at a time, because those of all days do not fit in memory. The rates
 * of a day are kept until another block draws its minutes, or further candles arrive.
 */
export function createControlRates() {
  const known = new Map<string, { key: string; rates: ReadonlyMap<number, ControlRate> }>()

  return async (ctx: Context, alerts: readonly RecordAlert[], anchors: readonly RecordAnchor[]) => {
    const rates = new Map<number, ControlRate>()
    const byDay = groupByDay(alerts)
    const counts = await store.listCandleCounts(ctx.db, [...byDay.keys()])
    for (const [day, ofDay] of byDay) {
      const blockHash = findControlBlock(anchors, day)
      const markets = counts.filter((one) => one.day === day)
      if (blockHash === null || markets.length === 0) continue
      const key = JSON.stringify([blockHash, markets, ofDay.map(({ index, leafHash }) => [index, leafHash])])
      const name = `${ofDay[0]?.statement?.origin} ${day}`
      const last = known.get(name)
      const found = last?.key === key ? last.rates : await measureDay(ctx, ofDay, anchors, markets)
      known.set(name, { key, rates: found })
      for (const [index, rate] of found) rates.set(index, rate)
    }
    return rates
  }
}

function groupByDay(alerts: readonly RecordAlert[]): Map<string, RecordAlert[]> {
  const days = new Map<string, RecordAlert[]>()
  for (const alert of alerts) {
    const { forecast, status } = alert
    if (!forecast || !isCounted(status)) continue
    const day = dayOf(horizonOf(forecast.prediction).from)
    const ofDay = days.get(day)
    if (ofDay) ofDay.push(alert)
    else days.set(day, [alert])
  }
  return days
}

async function measureDay(
  ctx: Context,
  alerts: readonly RecordAlert[],
  anchors: readonly RecordAnchor[],
  markets: readonly store.MarketDay[],
): Promise<ReadonlyMap<number, ControlRate>> {
  const candles = new Map<string, Candle[]>()
  for (const { venue, market, day } of markets) {
    const found = await store.findCandles(ctx.db, { venue, market, day })
    if (found) candles.set(JSON.stringify([venue, market, day]), found)
  }
  return measureControlRates(listControlTasks(alerts), anchors, {
    isArchive: false,
    read: ({ venue, market }, day) => candles.get(JSON.stringify([venue, market, day])) ?? null,
  })
}
