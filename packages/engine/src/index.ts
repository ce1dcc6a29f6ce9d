export type { Candle, Clock, EngineEvent, Gap, Outcome, Tick, Venue } from './tick.ts'
