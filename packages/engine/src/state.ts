import { type Confidence, createConfidence } from './confidence.ts'
import type { CoolDowns } from './cool-down.ts'
import type { MarketPair } from './divergence.ts'
import type { AlertKind } from './finding.ts'
import type { Market } from './market.ts'
import { createNoveltyMemory } from './novelty.ts'
import type { MarketName, Prediction } from './prediction.ts'
import type { UrgentAlertTimes } from './priority.ts'
import { createCounts, type ThresholdCounts } from './threshold-counts.ts'

/** An alert whose prediction has no outcome yet. */
interface OpenAlert {
  id: string
  prediction: Prediction
  features: number[]
  raw: number
  /** True if the finding `due` has been returned. */
  reported: boolean
}

interface RecentAlert {
  at: number
  base: string
  kind: AlertKind
}

/** The whole state of the engine, as plain JSON: its snapshot is `JSON.stringify` of it. */
export interface EngineState {
  version: 1 | 2
  /** Newest event time. */
  now: number
  /** Start of the current minute, -1 before the first event. */
  round: number
  markets: Record<string, Market>
  /** The pairs, by venue and name of both markets, separated by spaces. */
  pairs: Record<string, MarketPair>
  coolDowns: CoolDowns
  budgets: UrgentAlertTimes
  /** Alerts of the last half hour. */
  recent: RecentAlert[]
  open: OpenAlert[]
  confidence: Confidence
  tally: ThresholdCounts
}

/**
 * Restores the state from a snapshot. Snapshots of version 1 have no tally and no memory of windows
 * (`novelty`), so these start empty. Their regression has one feature less, so it starts again and
 * learns from the next outcomes.
 * @throws Error if a later version of the engine wrote the snapshot
 */
export function restoreState(snapshot: string): EngineState {
  const savedState: EngineState = { ...createState(), ...JSON.parse(snapshot) }
  if (savedState.version === 2) return savedState
  if (savedState.version !== 1)
    throw new Error(`Unsupported version ${savedState.version} of the engine snapshot: expected 1 or 2`)
  for (const market of Object.values(savedState.markets)) market.novelty = createNoveltyMemory()
  for (const { features } of savedState.open) features.push(0)
  return { ...savedState, version: 2, confidence: createConfidence() }
}

/**
 * Removes the markets for which `isKept` returns false, and their pairs. The predictions of their
 * alerts stay open.
 */
export function removeOtherMarkets(state: EngineState, isKept: (market: MarketName) => boolean): void {
  state.markets = Object.fromEntries(Object.entries(state.markets).filter(([, market]) => isKept(market)))
  const hasMarket = (venue = '', market = '') => Object.hasOwn(state.markets, `${venue} ${market}`)
  const isKeptPair = (key: string) => {
    const [venue, market, otherVenue, otherMarket] = key.split(' ')
    return hasMarket(venue, market) && hasMarket(otherVenue, otherMarket)
  }
  state.pairs = Object.fromEntries(Object.entries(state.pairs).filter(([key]) => isKeptPair(key)))
}

export function createState(): EngineState {
  return {
    version: 2,
    now: 0,
    round: -1,
    markets: {},
    pairs: {},
    coolDowns: {},
    budgets: {},
    recent: [],
    open: [],
    confidence: createConfidence(),
    tally: createCounts(),
  }
}
