import { type Candle, compareDecimals, parseDecimal } from '@tocsin/proof'
import { type LivePrice, type MarketMessage, marketKey } from '@tocsin/protocol'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'

/** The bar of one minute, computed from the received trades. */
interface Minute {
  open: string
  high: string
  low: string
  close: string
  /** Volume, scaled by 10^18. */
  volumeUnits: bigint
}

interface Market {
  venue: string
  market: string
  price: string
  atMs: number
  /**
   * Number of the newest trade. It is -1 before the first trade of a connection, and after the
   * source has restarted its numbers.
   */
  number: number
  /** Time since which no trade is missing. */
  coveredFromMs: number
  /** Minutes by open time in seconds. */
  minutes: Map<number, Minute>
  isChanged: boolean
}

type Tick = Extract<MarketMessage, { type: 'tick' }>

const MAX_MARKETS = 200
/**
 * Maximum number of minutes stored for each market: the longest horizon of a prediction, the
 * longest time from its end until the deadline for the outcome, the minute before the horizon, the
 * current minute, and one for a source whose clock is ahead.
 */
const MAX_STORED_MINUTES = 6 * 60 + 60 + 3
const MAX_CLOCK_SKEW_MS = MINUTE_MS
const UNITS_PER_ONE = 10n ** 18n

export type MarketBook = ReturnType<typeof createMarketBook>

/** Stores the newest price and the minutes of each market, in bounded memory. Performs no I/O. */
export function createMarketBook() {
  const markets = new Map<string, Market>()
  let coveredFromMs = Number.POSITIVE_INFINITY

  const findMarket = (tick: Tick): Market | null => {
    const key = marketKey(tick)
    const knownMarket = markets.get(key)
    if (knownMarket || markets.size >= MAX_MARKETS) return knownMarket ?? null
    const { venue, market, price } = tick
    const addedMarket = {
      venue,
      market,
      price,
      atMs: 0,
      number: -1,
      coveredFromMs,
      minutes: new Map(),
      isChanged: false,
    }
    markets.set(key, addedMarket)
    return addedMarket
  }
  const applyTick = (tick: Tick, nowMs: number): boolean => {
    if (tick.at > nowMs + MAX_CLOCK_SKEW_MS) return false
    const market = findMarket(tick)
    if (!market || tick.number <= market.number || tick.at < nowMs - DAY_MS) return true
    market.number = tick.number
    if (tick.at >= market.atMs) {
      market.isChanged ||= market.price !== tick.price || tick.at !== market.atMs
      market.price = tick.price
      market.atMs = tick.at
    }
    if (tick.at >= coveredFromMs) addToMinute(market, tick)
    return true
  }
  const presentPrice = ({ venue, market, price, atMs }: Market): LivePrice => ({
    ...{ venue, market, price, at: new Date(atMs).toISOString() },
  })
  const resetCoverage = (atMs: number) => {
    coveredFromMs = atMs
    for (const market of markets.values()) market.coveredFromMs = atMs
  }
  return {
    /**
     * Call this for a new connection: earlier trades may be missing, and trade numbers may restart.
     */
    connected(nowMs: number) {
      resetCoverage(nowMs)
      for (const market of markets.values()) market.number = -1
    },
    /** Call this for an invalid message, because a trade may be missing. */
    lost: resetCoverage,
    /** @returns false if the time of the message is too far in the future */
    apply(message: MarketMessage, nowMs: number): boolean {
      if (message.type === 'tick') return applyTick(message, nowMs)
      const market = message.type === 'gap' ? markets.get(marketKey(message)) : undefined
      if (!market || message.type !== 'gap') return true
      market.coveredFromMs = Math.max(market.coveredFromMs, message.to)
      if (message.restarted) market.number = -1
      return true
    },
    prices: (): LivePrice[] => [...markets.values()].filter(({ atMs }) => atMs > 0).map(presentPrice),
    /** Returns the prices that have changed since the last call. */
    drainChanges(): LivePrice[] {
      const changedMarkets = [...markets.values()].filter(({ isChanged }) => isChanged)
      for (const market of changedMarkets) market.isChanged = false
      return changedMarkets.map(presentPrice)
    },
    /**
     * Returns the minutes of a market from `from` up to, not including, `until` (both in seconds).
     * Returns null if a trade since `from` may be missing.
     */
    listMinutes(name: { venue: string; market: string }, from: number, until: number): Candle[] | null {
      const market = markets.get(marketKey(name))
      if (!market || market.coveredFromMs > from * 1_000) return null
      const minutesInRange = [...market.minutes].filter(([openTime]) => openTime >= from && openTime < until)
      return minutesInRange.sort(([a], [b]) => a - b).map(toCandle)
    },
  }
}

function addToMinute(market: Market, { at, price, amount }: Tick): void {
  const { minutes } = market
  const openTime = (at - (at % MINUTE_MS)) / 1_000
  const volumeUnits = parseDecimal(amount)
  const minute = minutes.get(openTime)
  if (!minute) {
    minutes.set(openTime, { open: price, high: price, low: price, close: price, volumeUnits })
    const [oldestOpenTime] = minutes.keys()
    if (oldestOpenTime === undefined || minutes.size <= MAX_STORED_MINUTES) return
    minutes.delete(oldestOpenTime)
    market.coveredFromMs = Math.max(market.coveredFromMs, oldestOpenTime * 1_000 + MINUTE_MS)
    return
  }
  if (compareDecimals(price, minute.high) > 0) minute.high = price
  if (compareDecimals(price, minute.low) < 0) minute.low = price
  minute.close = price
  minute.volumeUnits += volumeUnits
}

function toCandle([openTime, { open, high, low, close, volumeUnits }]: [number, Minute]): Candle {
  const fraction = (volumeUnits % UNITS_PER_ONE).toString().padStart(18, '0')
  return [openTime, open, high, low, close, `${volumeUnits / UNITS_PER_ONE}.${fraction}`]
}
