import type { EngineEvent, Venue } from './tick.ts'

/** Part of a signal that public candles can judge. The keys of docs/signal-protocol.md. */
export interface Prediction {
  metric: 'maxExcursion' | 'volume' | 'realisedVariance' | 'spread'
  comparison: 'gte'
  threshold: number
  venue: Venue
  /** The exchange's own symbol. */
  market: string
  other?: { venue: Venue; market: string }
  candleSeconds: 60
  startsAt: string
  horizonSeconds: number
  resolveBy: string
}

/** A signal without `model`, which the process adds. */
export interface Alert {
  type: 'alert'
  /** The same input gives the same id. */
  id: string
  asset: string
  anomalyType: string
  confidence: number
  regime: string
  summary: string
  priority: 'low' | 'medium' | 'high' | 'critical'
  observedAt: number
  series?: object
  prediction?: Prediction
}

/** The horizon of a prediction is over. The process keeps its own list and needs no reminder. */
interface Due {
  type: 'due'
  id: string
  prediction: Prediction
}

type Finding = Alert | Due

/** The engine core: pure, deterministic, in event time. */
export interface Engine {
  step(event: EngineEvent): readonly Finding[]
  /** Text from which `CreateEngine` continues exactly here. */
  snapshot(): string
}

export type CreateEngine = (snapshot?: string) => Engine

export interface Model {
  name: string
  version: string
  /** SHA-256 of the settings file, `0x` and 64 hexadecimal digits. */
  settingsHash: string
}
