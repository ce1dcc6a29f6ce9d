import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Venue } from '@tocsin/engine'
import { formatDay } from '@tocsin/proof'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { CandleRow } from '../candles.ts'
import type { CandleSource } from '../outcomes.ts'
import { writeFileAtomic } from './atomic-file.ts'

/** Time from the end of a minute until its candle is complete at the exchange. */
const READY_MS = 6_000
const RETENTION_MS = 3 * DAY_MS
const FILE_NAME_PATTERN = /^candles-[a-z-]+-[A-Za-z0-9]+-(\d{4}-\d{2}-\d{2})\.json$/

/**
 * Stores published candles for some days, for exchanges whose REST pages go back only a few hours.
 * One file contains a market's candles of one UTC day.
 */
export function createCandleRecord(folder: string, candles: CandleSource, nowMs: () => number) {
  const getPath = (venue: Venue, symbol: string, day: string) => join(folder, `candles-${venue}-${symbol}-${day}.json`)
  const readDay = (path: string): CandleRow[] => {
    try {
      // The cast is safe: only this module writes these files.
      return JSON.parse(readFileSync(path, 'utf8')) as CandleRow[]
    } catch {
      return []
    }
  }
  return {
    /**
     * Stores the newest complete candles; they replace older ones of the same minutes.
     * @throws Error if the exchange cannot be reached
     */
    async update(venue: Venue, symbol: string, count: number): Promise<void> {
      const until = Math.floor((nowMs() - READY_MS) / MINUTE_MS) * 60
      const days = new Map<string, CandleRow[]>()
      for (const row of await candles(venue, symbol, until - 60 * count, until)) {
        const day = formatDay(row[0])
        days.set(day, [...(days.get(day) ?? []), row])
      }
      for (const [day, rows] of days) {
        const path = getPath(venue, symbol, day)
        const rowsByMinute = new Map([...readDay(path), ...rows].map((row) => [row[0], row]))
        writeFileAtomic(path, JSON.stringify([...rowsByMinute.values()].sort(([a], [b]) => a - b)))
      }
      for (const name of readdirSync(folder)) {
        const day = FILE_NAME_PATTERN.exec(name)?.[1]
        if (day !== undefined && Date.parse(day) < nowMs() - RETENTION_MS) rmSync(join(folder, name), { force: true })
      }
    },
    read(venue: Venue, symbol: string, from: number, to: number): CandleRow[] {
      const firstDay = Math.floor((from * 1_000) / DAY_MS)
      const days = Array.from({ length: Math.ceil((to * 1_000) / DAY_MS) - firstDay }, (_, index) => firstDay + index)
      return days
        .flatMap((day) => readDay(getPath(venue, symbol, formatDay((day * DAY_MS) / 1_000))))
        .filter(([openTime]) => openTime >= from && openTime < to)
    },
  }
}
