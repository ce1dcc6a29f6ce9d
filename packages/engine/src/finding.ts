import type { Prediction } from './prediction.ts'
import type { Venue } from './tick.ts'

export const ANOMALY_TYPES = {
  price: 'Price move',
  volume: 'Volume spike',
  volatility: 'Volatility shift',
  divergence: 'Divergence',
  marketWide: 'Market-wide move',
  rush: 'Rush orders (beta)',
  quiet: 'Market gone quiet',
} as const

export type AlertKind = keyof typeof ANOMALY_TYPES
export type Priority = 'low' | 'medium' | 'high' | 'critical'
export type Direction = 'up' | 'down' | 'none'

/** The series of a signal, as in docs/signal-protocol.md. */
export interface Series {
  values: number[]
  stepSeconds: number
  triggerIndex: number
  mean: number
  deviation: number
  unit: string
}

/** A signal of docs/signal-protocol.md, except the key `model`. The caller adds this key. */
export interface Alert {
  type: 'alert'
  /**
   * The same input gives the same id, so that two engines with the same input create no duplicate
   * alerts.
   */
  id: string
  asset: string
  anomalyType: string
  /** Percent, one decimal: the probability that the prediction comes true. */
  confidence: number
  regime: string
  summary: string
  priority: Priority
  observedAt: number
  series: Series
  /**
   * The market's last price at the time of the alert, as a decimal. Absent if it has no decimal
   * form.
   */
  price?: string
  quote?: string
  venue?: Venue
  prediction: Prediction
}

/**
 * The period that a prediction covers (its horizon) is over. The caller fetches the candles and
 * reports the outcome.
 */
export interface DueOutcome {
  type: 'due'
  id: string
  prediction: Prediction
}

export type Finding = Alert | DueOutcome
