import type { Candle, Tick } from '@tocsin/engine'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'
import type { CandleRow } from '../candles.ts'
import { type Anomaly, anomalySchema, createAnomaly, drawAnomaly } from './anomalies.ts'
import { type AssetMinute, assetPathsStateSchema, createAssetPaths } from './asset-paths.ts'
import { assets, listings, SECOND_SHARE, type SimulatedAsset, type SimulatedListing } from './assets.ts'
import { createRandom, type Random, randomStateSchema } from './random.ts'

/** One minute of all markets. */
export interface SimulatedMinute {
  /** Start of the minute in milliseconds. */
  at: number
  /**
   * One list of trades for each market, in the order of `listings`. Each list is sorted by trade
   * number.
   */
  trades: readonly (readonly SimulatedTrade[])[]
}

/**
 * A trade whose price and amount count units of the last decimal place, so that candles have exact
 * sums.
 */
interface SimulatedTrade {
  number: number
  at: number
  price: number
  amount: number
  isBuy: boolean
}

/** A candle that counts units of the last decimal place, like its trades. */
export interface CandleInUnits {
  open: number
  high: number
  low: number
  close: number
  volume: number
  /** Part of the volume that takers bought. */
  bought: number
}

export interface SimulatedMarket {
  /** Generates the next minute. */
  next(): SimulatedMinute
  /** Like `next`, but returns only one candle per market, null for a market without a trade. */
  nextCandles(): (CandleInUnits | null)[]
  /** Start of the next minute. */
  at(): number
  /** The anomalies injected so far; after `restore`, only those injected since. */
  anomalies: readonly Anomaly[]
  state(): MarketState
  /** Continues from a saved state of a market with the same plan. */
  restore(state: MarketState): void
}

const listingStateSchema = z.strictObject({
  number: z.int(),
  /**
   * Logarithmic distances of the price in this market from the price of the asset: `basis` is the
   * noise of the exchange, `dislocation` comes from an injected anomaly.
   */
  basis: z.number(),
  dislocation: z.number(),
})

/** The complete state that determines all further minutes. */
export const marketStateSchema = z.strictObject({
  at: z.int(),
  random: randomStateSchema,
  paths: assetPathsStateSchema,
  listings: z.array(listingStateSchema).length(listings.length),
  active: z.array(anomalySchema),
})
export type MarketState = z.infer<typeof marketStateSchema>

const earlyAssets = assets.filter(({ isEarly }) => isEarly)

interface ListingState extends z.infer<typeof listingStateSchema> {
  listing: SimulatedListing
}

const POINT_MS = 10_000
const HALF_SPREAD = 8e-5
const BASIS_DECAY = 0.9
const BASIS_NOISE = 6e-5
const AMOUNT_SPREAD = 0.9
/**
 * Fraction of the remaining distance by which a price moves per minute when a dislocation begins or
 * ends.
 */
const DISLOCATION_RATE = 1 / 12
/** Probability that an order is filled by several makers. Rush orders nearly always are. */
const SPLIT_PROBABILITY = { usual: 0.08, rush: 0.85 }
const MAX_FILLS = 4

/** Times in milliseconds. */
export interface MarketPlan {
  seed: number
  /** Start of the first minute. */
  startsAt: number
  /**
   * Time at which the engine goes live. Most assets are listed two days earlier. The first hour
   * after it has additional anomalies.
   */
  liveAt: number
}

/**
 * Time before `liveAt` at which most assets are listed. The engine needs a day of prices before it
 * raises alerts.
 */
const LISTED_BEFORE_MS = 2 * 86_400_000
/**
 * Additional anomalies of the first hour, by minute after `liveAt`, so that visitors of a new demo
 * see alerts.
 */
const FIRST_HOUR_ANOMALIES = [
  { minute: 1, kind: 'jump', asset: 'BTC' },
  { minute: 1, kind: 'jump', asset: 'LINK' },
  { minute: 8, kind: 'volume', asset: 'ETH' },
  { minute: 18, kind: 'jump', asset: 'SOL' },
  { minute: 30, kind: 'volume', asset: 'XRP' },
  { minute: 45, kind: 'jump', asset: 'BNB' },
] as const
/** Factor of the anomalies of the first hour, so that they stand out even in a turbulent hour. */
const FIRST_HOUR_FACTOR = 2.5

/**
 * A random market with volatility regimes and injected anomalies, see docs/engine.md. The same plan
 * gives the same trades everywhere and always.
 */
export function createSimulatedMarket({ seed, startsAt, liveAt }: MarketPlan): SimulatedMarket {
  const random = createRandom(seed)
  const paths = createAssetPaths(random)
  const states = listings.map((listing): ListingState => ({ listing, number: 0, basis: 0, dislocation: 0 }))
  const anomalies: Anomaly[] = []
  let activeAnomalies: Anomaly[] = []
  let at = startsAt

  const injectAnomalies = (listedAssets: readonly SimulatedAsset[]) => {
    activeAnomalies = activeAnomalies.filter((anomaly) => at < anomaly.at + anomaly.minutes * MINUTE_MS)
    const drawnAnomaly = drawAnomaly(random, at, listedAssets)
    const plannedAnomalies = FIRST_HOUR_ANOMALIES.filter(({ minute }) => at === liveAt + minute * MINUTE_MS).map(
      ({ kind, asset }) => {
        const anomaly = createAnomaly(kind, random, at, assets)
        return { ...anomaly, asset, size: FIRST_HOUR_FACTOR * anomaly.size }
      },
    )
    for (const anomaly of [drawnAnomaly, ...plannedAnomalies]) {
      if (!anomaly || activeAnomalies.some(({ asset }) => asset === anomaly.asset)) continue
      activeAnomalies.push(anomaly)
      anomalies.push(anomaly)
    }
  }
  /** @param onTrade called for each trade of the minute, with the index of its market */
  const advance = (onTrade: (listing: number, ...trade: TradeValues) => void) => {
    const listedAssets = at < liveAt - LISTED_BEFORE_MS ? earlyAssets : assets
    injectAnomalies(listedAssets)
    const minutes = paths.next(at, activeAnomalies, listedAssets)
    for (const [index, state] of states.entries()) {
      const minute = minutes[assets.indexOf(state.listing.asset)]
      if (minute) simulateTrades(state, minute, activeAnomalies, at, random, (...values) => onTrade(index, ...values))
    }
    at += MINUTE_MS
  }
  return {
    anomalies,
    at: () => at,
    next() {
      const start = at
      const trades: SimulatedTrade[][] = listings.map(() => [])
      advance((listing, number, tradeAt, price, amount, isBuy) => {
        trades[listing]?.push({ number, at: tradeAt, price, amount, isBuy })
      })
      return { at: start, trades }
    },
    nextCandles() {
      const candles: (CandleInUnits | null)[] = listings.map(() => null)
      advance((listing, _number, _at, price, amount, isBuy) => {
        candles[listing] = addTrade(candles[listing] ?? null, price, amount, isBuy)
      })
      return candles
    },
    state: () => ({
      at,
      random: random.state(),
      paths: paths.state(),
      listings: states.map(({ number, basis, dislocation }) => ({ number, basis, dislocation })),
      active: [...activeAnomalies],
    }),
    restore(state) {
      at = state.at
      random.restore(state.random)
      paths.restore(state.paths)
      for (const [index, currentListingState] of states.entries())
        Object.assign(currentListingState, state.listings[index])
      activeAnomalies = [...state.active]
    },
  }
}

type TradeValues = [number: number, at: number, price: number, amount: number, isBuy: boolean]

function simulateTrades(
  state: ListingState,
  minute: AssetMinute,
  activeAnomalies: readonly Anomaly[],
  start: number,
  random: Random,
  onTrade: (...values: TradeValues) => void,
): void {
  const { asset, isSecond } = state.listing
  const ownAnomalies = isSecond ? activeAnomalies.filter((anomaly) => anomaly.asset === asset.name) : []
  moveBasis(state, ownAnomalies, random)
  if (ownAnomalies.some(({ kind }) => kind === 'halt')) return
  // A busy minute has more orders, and the orders are larger.
  const activityFactor = Math.sqrt(minute.activity)
  const pauseMs = MINUTE_MS / (asset.orders * activityFactor * (isSecond ? SECOND_SHARE : 1))
  const amountUnits = asset.amount * activityFactor * 10 ** asset.amountDecimals
  for (let ms = pauseMs * random.exponential(); ms < MINUTE_MS; ms += pauseMs * random.exponential()) {
    const point = Math.floor(ms / POINT_MS)
    const [logBefore = 0, logAfter = logBefore] = minute.points.slice(point, point + 2)
    const isBuy = minute.isRush ? random.uniform() < 0.95 : random.uniform() < computeBuyShare(logBefore, logAfter)
    const logPrice = logBefore + (logAfter - logBefore) * ((ms % POINT_MS) / POINT_MS) + state.basis + state.dislocation
    const price = Math.round(Math.exp(logPrice + (isBuy ? HALF_SPREAD : -HALF_SPREAD)) * 10 ** asset.priceDecimals)
    const amount = Math.max(1, Math.round(amountUnits * Math.exp(AMOUNT_SPREAD * random.normal())))
    const isSplit = random.uniform() < (minute.isRush ? SPLIT_PROBABILITY.rush : SPLIT_PROBABILITY.usual)
    const fills = isSplit ? 2 + Math.floor((MAX_FILLS - 1) * random.uniform()) : 1
    for (let fill = 0; fill < fills; fill++) {
      state.number += 1
      const priceShift = isBuy ? fill : -fill
      onTrade(state.number, start + Math.floor(ms), price + priceShift, amount, isBuy)
    }
  }
}

function moveBasis(state: ListingState, ownAnomalies: readonly Anomaly[], random: Random): void {
  state.basis = BASIS_DECAY * state.basis + BASIS_NOISE * random.normal()
  const dislocationAnomaly = ownAnomalies.find(({ kind }) => kind === 'dislocation')
  const target = dislocationAnomaly ? dislocationAnomaly.size / 100 : 0
  state.dislocation += DISLOCATION_RATE * (target - state.dislocation)
}

/** Share of orders in which takers buy. Takers buy more while the price rises. */
function computeBuyShare(logBefore: number, logAfter: number): number {
  return Math.min(0.8, Math.max(0.2, 0.5 + 400 * (logAfter - logBefore)))
}

/**
 * Returns all trades of a minute, sorted by time. Trades of the same time are in the order of
 * `listings`.
 */
export function listTicks({ trades }: SimulatedMinute): Tick[] {
  const ticks = trades.flatMap((list, index) => {
    const listing = listings[index]
    return listing ? list.map((trade) => createTick(listing, trade)) : []
  })
  return ticks.sort((a, b) => a.at - b.at)
}

function createTick(
  { venue, market, asset }: SimulatedListing,
  { number, at, price, amount, isBuy }: SimulatedTrade,
): Tick {
  return {
    type: 'tick',
    venue,
    market,
    number,
    count: 1,
    at,
    price: price / 10 ** asset.priceDecimals,
    amount: amount / 10 ** asset.amountDecimals,
    takerSide: isBuy ? 'buy' : 'sell',
  }
}

/**
 * Returns the candles of a minute by market. A market without a trade has null, like exchanges that
 * then publish no candle.
 */
export function createCandles({ trades }: SimulatedMinute): (CandleInUnits | null)[] {
  return trades.map((listingTrades) =>
    listingTrades.reduce<CandleInUnits | null>(
      (candle, { price, amount, isBuy }) => addTrade(candle, price, amount, isBuy),
      null,
    ),
  )
}

function addTrade(candle: CandleInUnits | null, price: number, amount: number, isBuy: boolean): CandleInUnits {
  const bought = isBuy ? amount : 0
  if (!candle) return { open: price, high: price, low: price, close: price, volume: amount, bought }
  if (price > candle.high) candle.high = price
  if (price < candle.low) candle.low = price
  candle.close = price
  candle.volume += amount
  candle.bought += bought
  return candle
}

/** Converts a candle to the form in which the exchange publishes it. */
export function toCandleRow(
  { priceDecimals, amountDecimals }: SimulatedAsset,
  at: number,
  candle: CandleInUnits,
): CandleRow {
  const formatPrice = (units: number) => formatUnits(units, priceDecimals)
  const { open, high, low, close, volume } = candle
  return [
    at / 1_000,
    formatPrice(open),
    formatPrice(high),
    formatPrice(low),
    formatPrice(close),
    formatUnits(volume, amountDecimals),
  ]
}

/**
 * Converts a candle to an event of the engine. The division gives the same number as parsing the
 * text.
 */
export function toCandleEvent({ venue, market, asset }: SimulatedListing, at: number, candle: CandleInUnits): Candle {
  const [price, amount] = [10 ** asset.priceDecimals, 10 ** asset.amountDecimals]
  return {
    type: 'candle',
    venue,
    market,
    at,
    open: candle.open / price,
    high: candle.high / price,
    low: candle.low / price,
    close: candle.close / price,
    volume: candle.volume / amount,
    takerBuyVolume: candle.bought / amount,
  }
}

/** Formats units as a decimal, exactly, because units are whole numbers. */
function formatUnits(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
