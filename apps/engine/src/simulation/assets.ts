import type { MarketName } from '@tocsin/engine'

export interface SimulatedAsset {
  name: string
  price: number
  /** Usual deviation of a minute's return, in percent. */
  deviation: number
  /** Correlation of the returns with the market factor that all assets share. */
  common: number
  /** Usual number of orders a minute on the first exchange. */
  orders: number
  /** Median amount of an order. */
  amount: number
  priceDecimals: number
  amountDecimals: number
  /**
   * True if the asset trades from the beginning. The others are listed shortly before the engine
   * goes live.
   */
  isEarly: boolean
  /** True if the asset is listed on the second exchange too. */
  onSecond: boolean
}

/**
 * The simulated assets. Their parameters are like those of the real assets; the prices are
 * invented. The columns are name, price, deviation, common, orders, amount and decimals of price
 * and amount.
 */
const assetTable = [
  ['BTC', 61_200, 0.035, 0.85, 9, 0.02, 2, 5],
  ['ETH', 3_120, 0.045, 0.8, 7, 0.3, 2, 4],
  ['SOL', 148, 0.065, 0.7, 6, 5, 3, 3],
  ['XRP', 0.52, 0.06, 0.6, 5, 900, 5, 1],
  ['BNB', 571, 0.05, 0.7, 4, 1, 2, 3],
  ['ADA', 0.41, 0.065, 0.65, 4, 1_200, 5, 1],
  ['DOGE', 0.124, 0.08, 0.6, 5, 4_000, 6, 0],
  ['AVAX', 27.4, 0.07, 0.65, 4, 20, 4, 2],
  ['LINK', 13.8, 0.065, 0.65, 4, 40, 4, 2],
  ['DOT', 6.2, 0.065, 0.65, 3, 90, 4, 2],
  ['LTC', 71.3, 0.055, 0.6, 3, 8, 3, 3],
  ['NEAR', 5.1, 0.075, 0.6, 3, 100, 4, 1],
  ['UNI', 7.7, 0.07, 0.55, 3, 70, 4, 2],
  ['ATOM', 6.6, 0.065, 0.6, 3, 80, 4, 2],
  ['ARB', 0.79, 0.075, 0.6, 3, 700, 5, 1],
  ['OP', 1.83, 0.075, 0.6, 3, 300, 4, 1],
  ['APT', 8.4, 0.075, 0.55, 3, 60, 4, 2],
  ['FIL', 4.3, 0.07, 0.55, 3, 120, 4, 1],
  ['ETC', 22.6, 0.06, 0.55, 3, 25, 3, 2],
  ['AAVE', 93.5, 0.07, 0.5, 3, 5, 3, 3],
] as const

/**
 * Number of assets, counted from the first one, that trade from the beginning (`EARLY_COUNT`) and
 * that the second exchange lists as well (`SECOND_LISTING_COUNT`).
 */
export const EARLY_COUNT = 4
const SECOND_LISTING_COUNT = 2

export const assets: readonly SimulatedAsset[] = assetTable.map(
  ([name, price, deviation, common, orders, amount, priceDecimals, amountDecimals], index) => ({
    ...{ name, price, deviation, common, orders, amount, priceDecimals, amountDecimals },
    isEarly: index < EARLY_COUNT,
    onSecond: index < SECOND_LISTING_COUNT,
  }),
)

/** Trading activity of the second exchange relative to the first one. */
export const SECOND_SHARE = 0.6

export interface SimulatedListing extends MarketName {
  asset: SimulatedAsset
  isSecond: boolean
}

/**
 * Markets of two exchanges: the first quotes in USDT, the second in USD. Both have the venue
 * `simulated`, because the signal protocol has only this name for a simulated exchange.
 */
export const listings: readonly SimulatedListing[] = [
  ...assets.map((asset) => createListing(asset, 'USDT')),
  ...assets.filter(({ onSecond }) => onSecond).map((asset) => createListing(asset, 'USD')),
]

function createListing(asset: SimulatedAsset, quote: 'USDT' | 'USD'): SimulatedListing {
  return { venue: 'simulated', market: `${asset.name}/${quote}`, asset, isSecond: quote === 'USD' }
}
