import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Candle, EngineEvent } from '@tocsin/engine'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'
import { formatMarketKey } from '../market.ts'
import type { CandleSource } from '../outcomes.ts'
import type { Position } from '../sources/trade-sequence.ts'
import { writeFileAtomic } from '../store/atomic-file.ts'
import { listings } from './assets.ts'
import { createCandleBook, KEPT_MINUTES } from './candle-book.ts'
import {
  createCandles,
  createSimulatedMarket,
  listTicks,
  type MarketPlan,
  type MarketState,
  marketStateSchema,
  type SimulatedMinute,
  toCandleEvent,
} from './simulated-market.ts'

export interface SimulationSettings {
  seed: number
  /** Days of history that are simulated before the first start. */
  historyDays: number
}

export interface Simulation {
  /** Start of the first minute that is generated as single trades, in milliseconds. */
  readonly liveAt: number
  candles: CandleSource
  /** Candles of the time before `liveAt`, oldest first. */
  history(): Generator<Candle>
  /** Trades up to `until` that the engine has not ingested, oldest first. */
  trades(until: number, ingestedPosition: IngestedPosition): Generator<EngineEvent>
}

/** How far the engine has ingested trades: its event time, and the newest trade of each market. */
interface IngestedPosition {
  eventTime: number
  positions: ReadonlyMap<string, Position>
}

const planSchema = z.strictObject({ seed: z.int(), startsAt: z.int(), liveAt: z.int() })
const stateSchema = planSchema.extend({ state: marketStateSchema })

/** Stores an earlier state of the market, so that a restart need not generate the whole past. */
export interface StateKeeper {
  load(): MarketState | null
  save(state: MarketState): void
}

/**
 * Opens the simulated market of a data folder. The start of the market is stored at the first
 * start, so the same market continues after a restart.
 * @throws Error if the folder belongs to another seed
 */
export function openSimulation(folder: string, { seed, historyDays }: SimulationSettings, nowMs: number): Simulation {
  const path = join(folder, 'simulation.json')
  const liveAt = nowMs - (nowMs % MINUTE_MS)
  const savedPlan = readSavedPlan(path) ?? { seed, startsAt: liveAt - historyDays * DAY_MS, liveAt }
  if (savedPlan.seed !== seed) {
    throw new Error(
      `${folder} holds the simulated market of seed ${savedPlan.seed}. Set ENGINE_DATA to another folder.`,
    )
  }
  writeFileAtomic(path, JSON.stringify(savedPlan))
  return createSimulation(savedPlan, createStateFile(join(folder, 'simulation-state.json'), savedPlan))
}

/**
 * Creates a keeper that stores the state in a file. The file can be deleted at any time. A damaged
 * file or the file of another market is ignored.
 */
function createStateFile(path: string, plan: MarketPlan): StateKeeper {
  return {
    load() {
      try {
        const { state, ...planOfState } = stateSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
        return isDeepStrictEqual(planOfState, plan) ? state : null
      } catch {
        return null
      }
    },
    save: (state) => writeFileAtomic(path, JSON.stringify({ ...plan, state })),
  }
}

export function createSimulation(plan: MarketPlan, keeper?: StateKeeper): Simulation {
  const { liveAt } = plan
  const market = createSimulatedMarket(plan)
  const candleBook = createCandleBook()
  /** The minute whose trades are being passed on. */
  let openMinute: SimulatedMinute | null = null
  let waitingEvents: EngineEvent[] = []

  /** States at the beginning of each day, oldest first. */
  let dayStates: MarketState[] = []
  let savedAt = plan.startsAt

  /** Records the state at the beginning of a day. Must be called before each minute. */
  const storeDayState = () => {
    if (keeper && (market.at() - plan.startsAt) % DAY_MS === 0) dayStates.push(market.state())
  }
  /** Saves the newest state from which all candles of the book can be generated again. */
  const saveState = () => {
    const oldStates = dayStates.filter(({ at }) => at <= market.at() - KEPT_MINUTES * MINUTE_MS)
    const state = oldStates.at(-1)
    if (!state || state.at <= savedAt) return
    dayStates = dayStates.slice(oldStates.length - 1)
    savedAt = state.at
    keeper?.save(state)
  }
  const nextCandles = () => {
    storeDayState()
    const at = market.at()
    const candles = market.nextCandles()
    candleBook.add(at, candles)
    return { at, candles }
  }
  const skipTo = (at: number) => {
    const state = market.at() < at ? (keeper?.load() ?? null) : null
    if (state && state.at > market.at() && state.at <= at - KEPT_MINUTES * MINUTE_MS) {
      market.restore(state)
      savedAt = state.at
    }
    while (market.at() < at) nextCandles()
  }
  const openNextMinute = () => {
    if (openMinute) candleBook.add(openMinute.at, createCandles(openMinute))
    storeDayState()
    saveState()
    openMinute = market.next()
    waitingEvents = listTicks(openMinute).reverse()
  }
  return {
    liveAt,
    candles: candleBook.source,
    *history() {
      while (market.at() < liveAt) {
        const { at, candles } = nextCandles()
        for (const [index, listing] of listings.entries()) {
          const candle = candles[index]
          if (candle) yield toCandleEvent(listing, at, candle)
        }
      }
    },
    *trades(until, { eventTime, positions }) {
      const from = Math.max(eventTime, liveAt)
      if (!openMinute) skipTo(from - (from % MINUTE_MS))
      for (;;) {
        const nextEvent = waitingEvents.at(-1)
        if (nextEvent?.type === 'tick') {
          if (nextEvent.at > until) return
          waitingEvents.pop()
          const key = formatMarketKey({ venue: nextEvent.venue, name: nextEvent.market })
          if (nextEvent.number > (positions.get(key)?.number ?? 0)) yield nextEvent
        } else if (market.at() > until) return
        else openNextMinute()
      }
    },
  }
}

function readSavedPlan(path: string): MarketPlan | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  try {
    return planSchema.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path} is damaged. Restore the folder from a backup, or move it away.`)
  }
}
