/**
 * Events that the engine reads. All times are event time: milliseconds since 1970 by the exchange's
 * clock. The engine has no clock of its own, so a replay of the same events gives the same output.
 */

/** Spelled as in `venue` of a prediction. `simulated` is the demo's market. */
export type Venue = 'binance' | 'binance-usdm' | 'coinbase' | 'kraken' | 'okx' | 'simulated'

/** One public trade, or several that the exchange reports as one. */
export interface Tick {
  type: 'tick'
  venue: Venue
  /** Canonical name: base and quote asset in upper case, `BTC/USDT`. */
  market: string
  /** The exchange's trade number, a safe integer. The last number if `count` is above 1. */
  number: number
  /** Number of trades that this tick combines, at least 1. */
  count: number
  /** Exchange time of the trade. */
  at: number
  /** Quote asset per base asset, above 0. */
  price: number
  /** Base asset, above 0. */
  amount: number
  takerSide: 'buy' | 'sell'
}

/**
 * A finished one-minute candle from an archive or a REST page. Sources send it instead of the ticks
 * of that minute.
 */
export interface Candle {
  type: 'candle'
  venue: Venue
  market: string
  /** Open time in milliseconds, divisible by 60,000. */
  at: number
  open: number
  high: number
  low: number
  close: number
  /** Volume in the base asset. */
  volume: number
  /** Part of `volume` that takers bought. Absent if the source does not report it. */
  takerBuyVolume?: number
}

/**
 * Trades of a market from `from` (inclusive) to `to` (exclusive) are missing, and will not arrive
 * later.
 */
export interface Gap {
  type: 'gap'
  venue: Venue
  market: string
  from: number
  to: number
  /** Set if the exchange has restarted its trade numbers: later numbers may be lower. */
  restarted?: true
}

/**
 * Event time has reached `at`: the engine closes bars of quiet markets and makes predictions due. A
 * replay needs clock events too, at the same positions in the sequence of events.
 */
export interface Clock {
  type: 'clock'
  at: number
}

/** The verdict on an earlier prediction, computed from published candles. Trains the confidence. */
export interface Outcome {
  type: 'outcome'
  /** The alert's id. */
  id: string
  verdict: 'came-true' | 'did-not' | 'void'
}

export type EngineEvent = Tick | Candle | Gap | Clock | Outcome
