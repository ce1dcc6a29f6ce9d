import { type Confidence, createConfidence } from './confidence.ts'
import { type CoolDowns, getCoolDownMs } from './cool-down.ts'
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

/**
 * Removes or limits everything that is stored with a time after `time`, because such times would
 * count as the present until `time` has reached them.
 */
export function removeLaterTimes(state: EngineState, time: number): void {
  state.recent = state.recent.filter(({ at }) => at <= time)
  for (const coolDowns of [state.coolDowns, ...state.tally.coolDowns]) {
    for (const [key, coolDown] of Object.entries(coolDowns))
      coolDown.until = Math.min(coolDown.until, time + getCoolDownMs(key))
  }
  for (const alertTimes of Object.values(state.budgets)) {
    alertTimes.critical = Math.min(alertTimes.critical, time)
    alertTimes.high = Math.min(alertTimes.high, time)
  }
  state.tally.days = state.tally.days.filter(({ start }) => start <= time)
  for (const { bars, rush, lastSeen } of Object.values(state.markets)) {
    // A gap that was reported with the wrong time as its end would make all minutes until that time
    // incomplete.
    bars.gaps = []
    rush.countedAt = Math.min(rush.countedAt, time)
    for (const levels of Object.values(lastSeen)) {
      for (const [level, at] of levels.entries()) levels[level] = Math.min(at, time)
    }
  }
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
