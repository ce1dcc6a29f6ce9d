import { addGap, addTick, GRACE_MS, isIncomplete, minuteOfCandle } from './bars.ts'
import { learnVerdict } from './confidence.ts'
import { pruneCoolDowns } from './cool-down.ts'
import { type Candidate, detectPrice, detectQuiet, detectVolatility, detectVolume } from './detectors.ts'
import { createPair, detectDivergence, pairMarkets } from './divergence.ts'
import type { Finding } from './finding.ts'
import {
  closeMarketMinute,
  createMarket,
  type Market,
  type Observation,
  observeMinute,
  recordStrengths,
} from './market.ts'
import { detectMarketWide } from './market-wide.ts'
import { checkTick, detectInOpenMinute, detectRush, setMinuteLimits } from './minute-limits.ts'
import { createOverview, type Overview } from './overview.ts'
import { computeEndTime, type MarketName } from './prediction.ts'
import { coolDownAfterMarketWide, raiseAlerts } from './raise.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { createState, type EngineState, removeOtherMarkets, restoreState } from './state.ts'
import { countMarketWide, countMinute, countPeaks, LOWEST_TRIED } from './threshold-counts.ts'
import type { Candle, EngineEvent, Outcome, Tick, Venue } from './tick.ts'

export interface Engine {
  /**
   * Processes one event and returns the findings that follow from it. Findings about a whole minute
   * are returned with the first event after the minute is over.
   */
  step(event: EngineEvent): readonly Finding[]
  /**
   * Serialises the state. An engine that is created with the snapshot continues exactly where this
   * engine is.
   */
  snapshot(): string
  /** Returns what operators see of the engine, without changing it. */
  overview(): Overview
  /**
   * Removes all markets for which `isKept` returns false, with what the engine has learned about
   * them, because a market without further events would count as one without trades. Returns the
   * removed markets. A replay of the events does not repeat the removal, so callers must save a
   * snapshot after it.
   */
  keepMarkets(isKept: (market: MarketName) => boolean): readonly MarketName[]
  /**
   * Sets event time back to `time` and pauses all markets. Callers use it after a clock that was
   * ahead has moved event time into the future, because all trades before that time would be
   * rejected as late. A replay of the events does not repeat the change, so callers must save a
   * snapshot after it.
   */
  setBack(time: number): void
}

const MINUTE_MS = 60_000
/**
 * Maximum jump of event time. After a longer one, all markets are paused, because the engine has
 * missed events. Trades that are further ahead are ignored.
 */
const LONGEST_SILENCE_MS = 10 * MINUTE_MS
/** After a longer jump of event time, all markets warm up again. */
const LONG_GAP_MS = 6 * 60 * MINUTE_MS
/** Number of minutes without a trade after which a market is paused until its next event. */
const PAUSE_AFTER_MINUTES = 1_440
/** Time after the end of a prediction at which it is deleted if it has no outcome. */
const FORGET_MS = 2 * 86_400_000

const nothing: readonly Finding[] = []

export function createEngine(settings: Settings = defaultSettings, snapshot?: string): Engine {
  const state = snapshot === undefined ? createState() : restoreState(snapshot)
  const index = new Map<Venue, Map<string, Market>>()
  let last: Market | null = null
  /**
   * Event time at which the current minute ends. Predictions become due only at the end of a
   * minute.
   */
  let deadline = getDeadline(state)

  for (const market of Object.values(state.markets)) addToIndex(market)

  function addToIndex(market: Market): void {
    const markets = index.get(market.venue) ?? new Map<string, Market>()
    index.set(market.venue, markets.set(market.market, market))
  }

  function getOrCreateMarket(venue: Venue, name: string): Market {
    if (last !== null && last.market === name && last.venue === venue) return last
    let market = index.get(venue)?.get(name)
    if (market === undefined) {
      market = createMarket(venue, name, settings)
      state.markets = insertSorted(state.markets, `${venue} ${name}`, market)
      addToIndex(market)
    }
    last = market
    return market
  }

  function step(event: EngineEvent): readonly Finding[] {
    if (event.type === 'outcome') return takeOutcome(state, event)
    if (event.type === 'tick' && state.round !== -1 && event.at - state.round > LONGEST_SILENCE_MS) return nothing
    const before = event.type === 'gap' ? nothing : pass(event.type === 'candle' ? event.at : event.at - GRACE_MS)
    if (event.type === 'tick') {
      const now = takeTick(getOrCreateMarket(event.venue, event.market), event)
      return now.length === 0 ? before : [...before, ...now]
    }
    if (event.type === 'candle') takeCandle(getOrCreateMarket(event.venue, event.market), event)
    else if (event.type === 'gap') addGap(getOrCreateMarket(event.venue, event.market).bars, event)
    return before
  }

  /**
   * Advances event time to `time`: finishes the minutes that are over, and makes predictions due.
   */
  function pass(time: number): readonly Finding[] {
    if (time < deadline) return nothing
    const findings: Finding[] = []
    if (state.round === -1) state.round = time - (time % MINUTE_MS)
    if (time - state.round > LONGEST_SILENCE_MS) skipTo(state, time - (time % MINUTE_MS))
    while (time >= state.round + MINUTE_MS) {
      state.now = state.round + MINUTE_MS
      findings.push(...finishRound(state, settings))
      state.round += MINUTE_MS
    }
    findings.push(...takeDue(state, time))
    deadline = getDeadline(state)
    return findings
  }

  function takeTick(market: Market, tick: Tick): readonly Finding[] {
    if (!addTick(market.bars, tick, state.round)) return nothing
    const rush = detectRush(market, tick, settings)
    const isBeyond = checkTick(market, tick)
    if ((!isBeyond && rush === null) || isIncomplete(market.bars, market.bars.minute)) return nothing
    if (tick.at > state.now) state.now = tick.at
    const candidates = rush === null ? detectInOpenMinute(market, tick, settings) : [rush]
    return candidates.flatMap((candidate) => raiseAlerts(state, { ...candidate, price: tick.price }, settings))
  }

  function takeCandle(market: Market, candle: Candle): void {
    const { bars } = market
    if (candle.at < state.round || (bars.minute !== -1 && candle.at < bars.minute)) bars.late++
    else observeMinute(market, minuteOfCandle(bars, candle), settings)
  }

  return {
    step,
    snapshot: () => JSON.stringify(state),
    overview: () => createOverview(state, settings),
    keepMarkets(isKept) {
      const removed = Object.values(state.markets).filter((market) => !isKept(market))
      removeOtherMarkets(state, isKept)
      for (const { venue, market } of removed) index.get(venue)?.delete(market)
      last = null
      return removed
    },
    setBack(time) {
      skipTo(state, time - (time % MINUTE_MS))
      // Remove the gaps. A gap that was reported with the wrong time as its end would make all
      // minutes until that time incomplete.
      for (const { bars } of Object.values(state.markets)) bars.gaps = []
      state.now = time
      deadline = getDeadline(state)
    },
  }
}

/** Adds a market in sorted order, so that output does not depend on which market came first. */
function insertSorted(markets: Record<string, Market>, key: string, market: Market): Record<string, Market> {
  return Object.fromEntries([...Object.entries(markets), [key, market] as const].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function getDeadline(state: EngineState): number {
  return state.round === -1 ? 0 : state.round + MINUTE_MS
}

function skipTo(state: EngineState, round: number): void {
  for (const market of Object.values(state.markets)) {
    pauseMarket(market)
    if (round - state.round > LONG_GAP_MS) market.statistics.seen = 0
  }
  state.round = round
}

/**
 * Pauses a market until its next event. Its windows then start again, and its first minute is
 * incomplete.
 */
function pauseMarket(market: Market): void {
  market.statistics.clean = 0
  market.statistics.quiet = 0
  market.newest = null
  market.bars.minute = -1
  market.bars.close = 0
}

function finishRound(state: EngineState, settings: Settings): Finding[] {
  const observed: [Market, Observation][] = []
  for (const market of Object.values(state.markets)) {
    if (market.bars.minute === state.round) closeMarketMinute(market, settings)
    if (market.statistics.quiet > PAUSE_AFTER_MINUTES) pauseMarket(market)
    if (market.bars.minute === -1) continue
    setMinuteLimits(market, state.now, settings)
    if (market.newest !== null) observed.push([market, market.newest])
  }
  pruneCoolDowns(state.coolDowns, state.now)
  if (observed.length > 0) countMinute(state.tally, state.now)
  const findings = raiseAll(state, observed, settings)
  for (const [market, seen] of observed) recordStrengths(market, seen)
  return findings
}

/**
 * Raises the alerts of a minute. The market-wide alert comes first and starts the cool-downs of the
 * assets, so that they raise no alerts of their own.
 */
function raiseAll(state: EngineState, observed: readonly [Market, Observation][], settings: Settings): Finding[] {
  const alerts = raiseMarketWide(state, observed, settings)
  for (const [market, seen] of observed) countPeaks(state.tally, state.now, market, seen)
  const single = observed.flatMap(([market, seen]) => [
    detectPrice(market, seen, settings),
    detectVolume(market, seen, settings),
    detectVolatility(market, seen, settings),
    detectQuiet(market, seen),
  ])
  const all = [...single, ...divergences(state, settings)]
  return [...alerts, ...all.flatMap((candidate) => (candidate === null ? [] : raiseAlerts(state, candidate, settings)))]
}

function raiseMarketWide(
  state: EngineState,
  observed: readonly [Market, Observation][],
  settings: Settings,
): readonly Finding[] {
  const at = (marketWide: number) => detectMarketWide(observed, { ...settings, marketWide })
  // If the lowest threshold finds nothing, no higher threshold does.
  if (at(Math.min(LOWEST_TRIED, settings.marketWide)) === null) return nothing
  countMarketWide(state.tally, state.now, at)
  const candidate = at(settings.marketWide)
  const alerts = candidate === null ? nothing : raiseAlerts(state, candidate, settings)
  if (alerts.length === 0) return nothing
  for (const coolDowns of [state.coolDowns, ...state.tally.coolDowns]) coolDownAfterMarketWide(coolDowns, observed)
  return alerts
}

function divergences(state: EngineState, settings: Settings): (Candidate | null)[] {
  const closed = Object.values(state.markets).filter(({ newest }) => newest !== null)
  return pairMarkets(closed).map(({ market, other }) => {
    const key = `${market.venue} ${market.market} ${other.venue} ${other.market}`
    const pair = state.pairs[key] ?? createPair()
    state.pairs[key] = pair
    return detectDivergence(pair, market, other, settings)
  })
}

function takeDue(state: EngineState, time: number): Finding[] {
  const findings: Finding[] = []
  for (const open of state.open) {
    if (open.reported || time < computeEndTime(open.prediction)) continue
    open.reported = true
    findings.push({ type: 'due', id: open.id, prediction: open.prediction })
  }
  if (findings.length > 0) state.open = state.open.filter((open) => time < computeEndTime(open.prediction) + FORGET_MS)
  return findings
}

function takeOutcome(state: EngineState, { id, verdict }: Outcome): readonly Finding[] {
  const open = state.open.find((candidate) => candidate.id === id)
  if (open === undefined) return nothing
  state.open = state.open.filter((candidate) => candidate !== open)
  if (verdict === 'void') return nothing
  learnVerdict(state.confidence, open.features, open.raw, verdict === 'came-true' ? 1 : 0)
  return nothing
}
