import { addGap, addTick, createMinuteOfCandle, GRACE_MS, isIncomplete } from './bars.ts'
import { learnResolvedOutcome } from './confidence.ts'
import { pruneCoolDowns } from './cool-down.ts'
import { type Candidate, detectPrice, detectQuiet, detectVolatility, detectVolume } from './detectors.ts'
import { createPair, detectDivergence, pairMarkets } from './divergence.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts'
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
import { detectInOpenMinute, detectRush, exceedsLimits, setMinuteLimits } from './minute-limits.ts'
import { createOverview, type Overview } from './overview.ts'
import { computeEndTime, type MarketName } from './prediction.ts'
import { raiseAlerts, startCoolDownsAfterMarketWide } from './raise.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { createState, type EngineState, removeLaterTimes, removeOtherMarkets, restoreState } from './state.ts'
import { countMarketWide, countMinute, countPeaks, LOWEST_TRIED_THRESHOLD } from './threshold-counts.ts'
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

/**
 * Maximum jump of event time. After a longer one, all markets are paused, because the engine has
 * missed events. Trades that are further ahead are ignored.
 */
const LONGEST_SILENCE_MS = 10 * MINUTE_MS
/** After a longer jump of event time, all markets warm up again. */
const LONG_GAP_MS = 6 * HOUR_MS
/** Number of minutes without a trade after which a market is paused until its next event. */
const PAUSE_AFTER_MINUTES = 1_440
/** Time after the end of a prediction at which it is deleted if it has no outcome. */
const FORGET_MS = 2 * DAY_MS

const noFindings: readonly Finding[] = []

export function createEngine(settings: Settings = defaultSettings, snapshot?: string): Engine {
  const state = snapshot === undefined ? createState() : restoreState(snapshot)
  const marketsByVenue = new Map<Venue, Map<string, Market>>()
  let lastMarket: Market | null = null
  /**
   * Event time at which the current minute ends. Predictions become due only at the end of a
   * minute.
   */
  let minuteEnd = getDeadline(state)

  for (const market of Object.values(state.markets)) addToIndex(market)

  function addToIndex(market: Market): void {
    const markets = marketsByVenue.get(market.venue) ?? new Map<string, Market>()
    marketsByVenue.set(market.venue, markets.set(market.market, market))
  }

  function getOrCreateMarket(venue: Venue, name: string): Market {
    if (lastMarket !== null && lastMarket.market === name && lastMarket.venue === venue) return lastMarket
    let market = marketsByVenue.get(venue)?.get(name)
    if (market === undefined) {
      market = createMarket(venue, name, settings)
      state.markets = insertSorted(state.markets, `${venue} ${name}`, market)
      addToIndex(market)
    }
    lastMarket = market
    return market
  }

  function step(event: EngineEvent): readonly Finding[] {
    if (event.type === 'outcome') {
      handleOutcome(state, event)
      return noFindings
    }
    if (event.type === 'tick' && state.round !== -1 && event.at - state.round > LONGEST_SILENCE_MS) return noFindings
    const findingsBefore =
      event.type === 'gap' ? noFindings : advanceTime(event.type === 'candle' ? event.at : event.at - GRACE_MS)
    if (event.type === 'tick') {
      const tickFindings = handleTick(getOrCreateMarket(event.venue, event.market), event)
      return tickFindings.length === 0 ? findingsBefore : [...findingsBefore, ...tickFindings]
    }
    if (event.type === 'candle') handleCandle(getOrCreateMarket(event.venue, event.market), event)
    else if (event.type === 'gap') addGap(getOrCreateMarket(event.venue, event.market).bars, event)
    return findingsBefore
  }

  /**
   * Advances event time to `time`: finishes the minutes that are over, and makes predictions due.
   */
  function advanceTime(time: number): readonly Finding[] {
    if (time < minuteEnd) return noFindings
    const findings: Finding[] = []
    if (state.round === -1) state.round = time - (time % MINUTE_MS)
    if (time - state.round > LONGEST_SILENCE_MS) skipTo(state, time - (time % MINUTE_MS))
    while (time >= state.round + MINUTE_MS) {
      state.now = state.round + MINUTE_MS
      findings.push(...closeMinutes(state, settings))
      state.round += MINUTE_MS
    }
    findings.push(...listDueOutcomes(state, time))
    minuteEnd = getDeadline(state)
    return findings
  }

  function handleTick(market: Market, tick: Tick): readonly Finding[] {
    if (!addTick(market.bars, tick, state.round)) return noFindings
    const rush = detectRush(market, tick, settings)
    const isBeyondLimits = exceedsLimits(market, tick)
    if ((!isBeyondLimits && rush === null) || isIncomplete(market.bars, market.bars.minute)) return noFindings
    if (tick.at > state.now) state.now = tick.at
    const candidates = rush === null ? detectInOpenMinute(market, tick, settings) : [rush]
    return candidates.flatMap((candidate) => raiseAlerts(state, { ...candidate, price: tick.price }, settings))
  }

  function handleCandle(market: Market, candle: Candle): void {
    const { bars } = market
    if (candle.at < state.round || (bars.minute !== -1 && candle.at < bars.minute)) bars.late++
    else observeMinute(market, createMinuteOfCandle(bars, candle), settings)
  }

  return {
    step,
    snapshot: () => JSON.stringify(state),
    overview: () => createOverview(state, settings),
    keepMarkets(isKept) {
      const removedMarkets = Object.values(state.markets).filter((market) => !isKept(market))
      removeOtherMarkets(state, isKept)
      for (const { venue, market } of removedMarkets) marketsByVenue.get(venue)?.delete(market)
      lastMarket = null
      return removedMarkets
    },
    setBack(time) {
      skipTo(state, time - (time % MINUTE_MS))
      removeLaterTimes(state, time)
      state.now = time
      minuteEnd = getDeadline(state)
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

function closeMinutes(state: EngineState, settings: Settings): Finding[] {
  const observations: [Market, Observation][] = []
  for (const market of Object.values(state.markets)) {
    if (market.bars.minute === state.round) closeMarketMinute(market, settings)
    if (market.statistics.quiet > PAUSE_AFTER_MINUTES) pauseMarket(market)
    if (market.bars.minute === -1) continue
    setMinuteLimits(market, state.now, settings)
    if (market.newest !== null) observations.push([market, market.newest])
  }
  pruneCoolDowns(state.coolDowns, state.now)
  if (observations.length > 0) countMinute(state.tally, state.now)
  const findings = raiseAllAlerts(state, observations, settings)
  for (const [market, observation] of observations) recordStrengths(market, observation)
  return findings
}

/**
 * Raises the alerts of a minute. The market-wide alert comes first and starts the cool-downs of the
 * assets, so that they raise no alerts of their own.
 */
function raiseAllAlerts(
  state: EngineState,
  observations: readonly [Market, Observation][],
  settings: Settings,
): Finding[] {
  const alerts = raiseMarketWide(state, observations, settings)
  for (const [market, observation] of observations) countPeaks(state.tally, state.now, market, observation)
  const marketCandidates = observations.flatMap(([market, observation]) => [
    detectPrice(market, observation, settings),
    detectVolume(market, observation, settings),
    detectVolatility(market, observation, settings),
    detectQuiet(market, observation),
  ])
  const allCandidates = [...marketCandidates, ...detectDivergences(state, settings)]
  return [
    ...alerts,
    ...allCandidates.flatMap((candidate) => (candidate === null ? [] : raiseAlerts(state, candidate, settings))),
  ]
}

function raiseMarketWide(
  state: EngineState,
  observations: readonly [Market, Observation][],
  settings: Settings,
): readonly Finding[] {
  const detectWithThreshold = (marketWide: number) => detectMarketWide(observations, { ...settings, marketWide })
  // If the lowest threshold finds nothing, no higher threshold does.
  if (detectWithThreshold(Math.min(LOWEST_TRIED_THRESHOLD, settings.marketWide)) === null) return noFindings
  countMarketWide(state.tally, state.now, detectWithThreshold)
  const candidate = detectWithThreshold(settings.marketWide)
  const alerts = candidate === null ? noFindings : raiseAlerts(state, candidate, settings)
  if (alerts.length === 0) return noFindings
  for (const coolDowns of [state.coolDowns, ...state.tally.coolDowns])
    startCoolDownsAfterMarketWide(coolDowns, observations)
  return alerts
}

function detectDivergences(state: EngineState, settings: Settings): (Candidate | null)[] {
  const closedMarkets = Object.values(state.markets).filter(({ newest }) => newest !== null)
  return pairMarkets(closedMarkets).map(({ market, other }) => {
    const key = `${market.venue} ${market.market} ${other.venue} ${other.market}`
    const pair = state.pairs[key] ?? createPair()
    state.pairs[key] = pair
    return detectDivergence(pair, market, other, settings)
  })
}

function listDueOutcomes(state: EngineState, time: number): Finding[] {
  const findings: Finding[] = []
  for (const openPrediction of state.open) {
    if (openPrediction.reported || time < computeEndTime(openPrediction.prediction)) continue
    openPrediction.reported = true
    findings.push({ type: 'due', id: openPrediction.id, prediction: openPrediction.prediction })
  }
  if (findings.length > 0) state.open = state.open.filter((open) => time < computeEndTime(open.prediction) + FORGET_MS)
  return findings
}

function handleOutcome(state: EngineState, { id, verdict }: Outcome): void {
  const openPrediction = state.open.find((candidate) => candidate.id === id)
  if (openPrediction === undefined) return
  state.open = state.open.filter((candidate) => candidate !== openPrediction)
  if (verdict === 'void') return
  learnResolvedOutcome(state.confidence, openPrediction.features, openPrediction.raw, verdict === 'came-true' ? 1 : 0)
}
