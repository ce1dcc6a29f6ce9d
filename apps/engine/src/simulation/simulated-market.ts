import type { Tick } from '@tocsin/engine'
import type { CandleRow } from '../candles.ts'
import { type Anomaly, createAnomaly, drawAnomaly } from './anomalies.ts'
import { type AssetMinute, createAssetPaths } from './asset-paths.ts'
import { assets, listings, SECOND_SHARE, type SimulatedAsset, type SimulatedListing } from './assets.ts'
import { createRandom, type Random } from './random.ts'

/** One minute of all markets. */
export interface SimulatedMinute {
  /** Start of the minute in milliseconds. */
  at: number
  /** Trades by market, in the order of `listings`, each in the order of its numbers. */
  trades: readonly (readonly SimulatedTrade[])[]
}

/** Price and amount count units of the last decimal place, so that candles have exact sums. */
export interface SimulatedTrade {
  number: number
  at: number
  price: number
  amount: number
  isBuy: boolean
}

export interface SimulatedMarket {
  /** Generates the next minute. */
  next(): SimulatedMinute
  /** Start of the next minute. */
  at(): number
  /** What was injected until now. */
  anomalies: readonly Anomaly[]
}

interface ListingState {
  listing: SimulatedListing
  number: number
  /** Distance from the asset's price in logarithms: noise of the exchange, and a dislocation. */
  basis: number
  dislocation: number
}

const MINUTE_MS = 60_000
const POINT_MS = 10_000
const HALF_SPREAD = 8e-5
const BASIS_KEPT = 0.9
const BASIS_NOISE = 6e-5
const AMOUNT_SPREAD = 0.9
/** Part of the way that a dislocated price goes, and returns, in a minute. */
const DISLOCATION_RATE = 1 / 12
/** How often an order takes two makers. Rush orders nearly always do. */
const SEVERAL_FILLS = { usual: 0.08, rush: 0.85 }
const MAX_FILLS = 4

/**
 * A random market with volatility regimes and injected anomalies, see docs/engine.md. The same seed
 * and start give the same trades everywhere and always.
 * @param startsAt start of the first minute, in milliseconds
 * @param accentAt a jump of the first asset begins in this minute
 */
export function createSimulatedMarket(seed: number, startsAt: number, accentAt: number | null = null): SimulatedMarket {
  const random = createRandom(seed)
  const paths = createAssetPaths(random)
  const states = listings.map((listing): ListingState => ({ listing, number: 0, basis: 0, dislocation: 0 }))
  const anomalies: Anomaly[] = []
  let active: Anomaly[] = []
  let at = startsAt

  const inject = () => {
    active = active.filter((anomaly) => at < anomaly.at + anomaly.minutes * MINUTE_MS)
    const drawn = drawAnomaly(random, at)
    const accent = at === accentAt ? { ...createAnomaly('jump', random, at), asset: assets[0]?.name ?? null } : null
    for (const anomaly of [drawn, accent]) {
      if (!anomaly || active.some(({ asset }) => asset === anomaly.asset)) continue
      active.push(anomaly)
      anomalies.push(anomaly)
    }
  }
  return {
    anomalies,
    at: () => at,
    next() {
      inject()
      const minutes = paths.next(at, active)
      const trades = states.map((state) => {
        const minute = minutes[assets.indexOf(state.listing.asset)]
        return minute ? tradesOf(state, minute, active, at, random) : []
      })
      const result = { at, trades }
      at += MINUTE_MS
      return result
    },
  }
}

function tradesOf(
  state: ListingState,
  minute: AssetMinute,
  active: readonly Anomaly[],
  start: number,
  random: Random,
): SimulatedTrade[] {
  const { asset, isSecond } = state.listing
  const own = isSecond ? active.filter((anomaly) => anomaly.asset === asset.name) : []
  moveBasis(state, own, random)
  if (own.some(({ kind }) => kind === 'halt')) return []
  // A busy minute has more orders and larger ones.
  const busy = Math.sqrt(minute.activity)
  const pauseMs = MINUTE_MS / (asset.orders * busy * (isSecond ? SECOND_SHARE : 1))
  const amountUnits = asset.amount * busy * 10 ** asset.amountDecimals
  const trades: SimulatedTrade[] = []
  for (let ms = pauseMs * random.exponential(); ms < MINUTE_MS; ms += pauseMs * random.exponential()) {
    const point = Math.floor(ms / POINT_MS)
    const [before = 0, after = before] = minute.points.slice(point, point + 2)
    const isBuy = minute.isRush ? random.uniform() < 0.95 : random.uniform() < buyShare(before, after)
    const log = before + (after - before) * ((ms % POINT_MS) / POINT_MS) + state.basis + state.dislocation
    const price = Math.round(Math.exp(log + (isBuy ? HALF_SPREAD : -HALF_SPREAD)) * 10 ** asset.priceDecimals)
    const amount = Math.max(1, Math.round(amountUnits * Math.exp(AMOUNT_SPREAD * random.normal())))
    const isSplit = random.uniform() < (minute.isRush ? SEVERAL_FILLS.rush : SEVERAL_FILLS.usual)
    const fills = isSplit ? 2 + Math.floor((MAX_FILLS - 1) * random.uniform()) : 1
    for (let fill = 0; fill < fills; fill++) {
      state.number += 1
      const worse = isBuy ? fill : -fill
      trades.push({ number: state.number, at: start + Math.floor(ms), price: price + worse, amount, isBuy })
    }
  }
  return trades
}

function moveBasis(state: ListingState, own: readonly Anomaly[], random: Random): void {
  state.basis = BASIS_KEPT * state.basis + BASIS_NOISE * random.normal()
  const dislocated = own.find(({ kind }) => kind === 'dislocation')
  const target = dislocated ? dislocated.size / 100 : 0
  state.dislocation += DISLOCATION_RATE * (target - state.dislocation)
}

/** Takers buy more while the price rises. */
function buyShare(before: number, after: number): number {
  return Math.min(0.8, Math.max(0.2, 0.5 + 400 * (after - before)))
}

/** All trades of a minute by time. Those of the same time are in the order of `listings`. */
export function ticksOf({ trades }: SimulatedMinute): Tick[] {
  const ticks = trades.flatMap((list, index) => {
    const listing = listings[index]
    return listing ? list.map((trade) => tickOf(listing, trade)) : []
  })
  return ticks.sort((a, b) => a.at - b.at)
}

function tickOf(
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

/** Candles by market; null where there was no trade, as on exchanges that publish none then. */
export function candlesOf({ at, trades }: SimulatedMinute): (CandleRow | null)[] {
  return listings.map(({ asset }, index) => candleOf(asset, at, trades[index] ?? []))
}

function candleOf(asset: SimulatedAsset, at: number, trades: readonly SimulatedTrade[]): CandleRow | null {
  const [first] = trades
  const last = trades.at(-1)
  if (!first || !last) return null
  let { price: high, price: low } = first
  let volume = 0
  for (const { price, amount } of trades) {
    if (price > high) high = price
    if (price < low) low = price
    volume += amount
  }
  const price = (units: number) => decimalOf(units, asset.priceDecimals)
  return [
    at / 1_000,
    price(first.price),
    price(high),
    price(low),
    price(last.price),
    decimalOf(volume, asset.amountDecimals),
  ]
}

/** Exact: units are whole numbers. */
function decimalOf(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
