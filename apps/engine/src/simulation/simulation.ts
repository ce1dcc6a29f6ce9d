import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Candle, EngineEvent } from '@tocsin/engine'
import { z } from 'zod'
import type { CandleRow } from '../candles.ts'
import { keyOf } from '../market.ts'
import type { CandleSource } from '../outcomes.ts'
import type { Position } from '../sources/trade-sequence.ts'
import { writeFileAtomic } from '../store/atomic-file.ts'
import { listings, type SimulatedListing } from './assets.ts'
import { createCandleBook } from './candle-book.ts'
import {
  candlesOf,
  createSimulatedMarket,
  type SimulatedMinute,
  type SimulatedTrade,
  ticksOf,
} from './simulated-market.ts'

export interface SimulationSettings {
  seed: number
  /** Days that are played before the first start. */
  historyDays: number
}

export interface Simulation {
  /** Start of the first minute that is played as single trades, in milliseconds. */
  readonly liveAt: number
  candles: CandleSource
  /** The past as candles, in the order of time. */
  history(): Generator<Candle>
  /** Trades up to `until` that the engine does not know, in the order of time. */
  trades(until: number, known: Known): Generator<EngineEvent>
}

/** What the engine has taken before. */
interface Known {
  eventTime: number
  positions: ReadonlyMap<string, Position>
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Whoever starts a demo sees an alert soon. */
const ACCENT_AFTER_MS = 2 * MINUTE_MS

const savedSchema = z.strictObject({ seed: z.int(), startsAt: z.int(), liveAt: z.int() })
type Saved = z.output<typeof savedSchema>

/**
 * Opens the simulated market of a data folder. Its start is stored at the first start, so the same
 * market goes on after a restart.
 * @throws Error if the folder belongs to another seed
 */
export function openSimulation(folder: string, { seed, historyDays }: SimulationSettings, nowMs: number): Simulation {
  const path = join(folder, 'simulation.json')
  const liveAt = nowMs - (nowMs % MINUTE_MS)
  const saved = readSaved(path) ?? { seed, startsAt: liveAt - historyDays * DAY_MS, liveAt }
  if (saved.seed !== seed) {
    throw new Error(`${folder} holds the simulated market of seed ${saved.seed}. Set ENGINE_DATA to another folder.`)
  }
  writeFileAtomic(path, JSON.stringify(saved))
  return createSimulation(saved)
}

export function createSimulation({ seed, startsAt, liveAt }: Saved): Simulation {
  const market = createSimulatedMarket(seed, startsAt, liveAt + ACCENT_AFTER_MS)
  const book = createCandleBook()
  /** The minute whose trades are being passed on. */
  let open: SimulatedMinute | null = null
  let waiting: EngineEvent[] = []

  const publish = (minute: SimulatedMinute) => {
    const rows = candlesOf(minute)
    book.add(minute.at, rows)
    return rows
  }
  const skipTo = (at: number) => {
    while (market.at() < at) publish(market.next())
  }
  const openNext = () => {
    if (open) publish(open)
    open = market.next()
    waiting = ticksOf(open).reverse()
  }
  return {
    liveAt,
    candles: book.source,
    *history() {
      while (market.at() < liveAt) {
        const minute = market.next()
        for (const [index, row] of publish(minute).entries()) {
          const listing = listings[index]
          if (row && listing) yield candleEventOf(listing, row, minute.trades[index] ?? [])
        }
      }
    },
    *trades(until, { eventTime, positions }) {
      const from = Math.max(eventTime, liveAt)
      if (!open) skipTo(from - (from % MINUTE_MS))
      for (;;) {
        const next = waiting.at(-1)
        if (next?.type === 'tick') {
          if (next.at > until) return
          waiting.pop()
          const key = keyOf({ venue: next.venue, name: next.market })
          if (next.number > (positions.get(key)?.number ?? 0)) yield next
        } else if (market.at() > until) return
        else openNext()
      }
    },
  }
}

function candleEventOf(
  { venue, market, asset }: SimulatedListing,
  row: CandleRow,
  trades: readonly SimulatedTrade[],
): Candle {
  const [seconds, ...texts] = row
  const [open = 0, high = 0, low = 0, close = 0, volume = 0] = texts.map(Number)
  const bought = trades.reduce((sum, { amount, isBuy }) => sum + (isBuy ? amount : 0), 0)
  const takerBuyVolume = bought / 10 ** asset.amountDecimals
  return { type: 'candle', venue, market, at: seconds * 1_000, open, high, low, close, volume, takerBuyVolume }
}

function readSaved(path: string): Saved | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  try {
    return savedSchema.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path} is damaged. Restore the folder from a backup, or move it away.`)
  }
}
