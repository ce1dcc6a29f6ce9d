import type { MarketName } from '@tocsin/engine'

export interface SimulatedAsset {
  name: string
  price: number
  /** Usual deviation of a minute's return, in percent. */
  deviation: number
  /** How much of it is common to all assets, as a correlation. */
  common: number
  /** Usual orders a minute on the first exchange. */
  orders: number
  /** Median amount of an order. */
  amount: number
  priceDecimals: number
  amountDecimals: number
  /** Listed on the second exchange too. */
  onSecond: boolean
}

/** Sizes are like those of the real assets; the prices are invented. */
export const assets: readonly SimulatedAsset[] = [
  {
    name: 'BTC',
    price: 61_200,
    deviation: 0.035,
    common: 0.85,
    orders: 9,
    amount: 0.02,
    priceDecimals: 2,
    amountDecimals: 5,
    onSecond: true,
  },
  {
    name: 'ETH',
    price: 3_120,
    deviation: 0.045,
    common: 0.8,
    orders: 7,
    amount: 0.3,
    priceDecimals: 2,
    amountDecimals: 4,
    onSecond: true,
  },
  {
    name: 'SOL',
    price: 148,
    deviation: 0.065,
    common: 0.7,
    orders: 6,
    amount: 5,
    priceDecimals: 3,
    amountDecimals: 3,
    onSecond: false,
  },
  {
    name: 'XRP',
    price: 0.52,
    deviation: 0.06,
    common: 0.6,
    orders: 5,
    amount: 900,
    priceDecimals: 5,
    amountDecimals: 1,
    onSecond: false,
  },
]

/** The second exchange has fewer orders. */
export const SECOND_SHARE = 0.6

export interface SimulatedListing extends MarketName {
  asset: SimulatedAsset
  isSecond: boolean
}

/**
 * Two exchanges: the first quotes in USDT, the second in USD. Both are the venue `simulated` of the
 * signal protocol, which has no other name for them.
 */
export const listings: readonly SimulatedListing[] = [
  ...assets.map((asset) => listingOf(asset, 'USDT')),
  ...assets.filter(({ onSecond }) => onSecond).map((asset) => listingOf(asset, 'USD')),
]

function listingOf(asset: SimulatedAsset, quote: 'USDT' | 'USD'): SimulatedListing {
  return { venue: 'simulated', market: `${asset.name}/${quote}`, asset, isSecond: quote === 'USD' }
}
