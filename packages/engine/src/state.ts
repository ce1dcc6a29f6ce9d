import { type Confidence, createConfidence } from './confidence.ts'
import type { CoolDowns } from './cool-down.ts'
import type { Pair } from './divergence.ts'
import type { AlertKind } from './finding.ts'
import type { Market } from './market.ts'
import type { Prediction } from './prediction.ts'
import type { Budgets } from './priority.ts'
import { createTally, type Tally } from './tally.ts'

/** An alert whose prediction has no outcome yet. */
interface Open {
  id: string
  prediction: Prediction
  features: number[]
  raw: number
  /** True if the finding `due` has been returned. */
  reported: boolean
}

interface Recent {
  at: number
  base: string
  kind: AlertKind
}

/** All that the engine knows, as plain JSON: its snapshot is `JSON.stringify` of it. */
export interface EngineState {
  version: 1
  /** Newest event time. */
  now: number
  /** Start of the minute that is being gathered, -1 before the first event. */
  round: number
  markets: Record<string, Market>
  /** By the keys of both markets. */
  pairs: Record<string, Pair>
  coolDowns: CoolDowns
  budgets: Budgets
  /** Alerts of the last half hour. */
  recent: Recent[]
  open: Open[]
  confidence: Confidence
  tally: Tally
}

export function createState(): EngineState {
  return {
    version: 1,
    now: 0,
    round: -1,
    markets: {},
    pairs: {},
    coolDowns: {},
    budgets: {},
    recent: [],
    open: [],
    confidence: createConfidence(),
    tally: createTally(),
  }
}
