import { DAY_MS } from './durations.ts'
import type { Market, Observation } from './market.ts'
import { getLastSeenAt } from './market.ts'
import { PRICE_WINDOWS, VOLUME_WINDOWS } from './statistics.ts'
import { findIndexOfMax } from './surprise.ts'

/**
 * Maximum length of the first clause of a summary. Compact rows and notifications show only this
 * clause. Further facts follow after `; `.
 */
export const CLAUSE_LENGTH = 60

const MONTHS = ['Jan', 'Feb', 'March', 'April', 'May', 'June', 'July', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec']

// Pages show changes and multiples with the same number of decimals.
const formatPercent = (value: number) => `${Math.abs(value).toFixed(2)}%`
const formatMultiple = (value: number) => `${value.toFixed(value < 9.95 ? 1 : 0)}×`
const formatDirection = (move: number) => (move < 0 ? 'fell' : 'rose')

/** Joins a clause and facts. Uses the shorter clause if the clause is too long. */
function summarise(clause: string, shortClause: string, facts: readonly string[]): string {
  const firstClause = clause.length <= CLAUSE_LENGTH ? clause : shortClause
  return facts.length === 0 ? firstClause : `${firstClause}; ${facts.join('; ')}`
}

function listLastSeenFacts(levels: readonly number[], strength: number, at: number): string[] {
  const lastSeenAtMs = getLastSeenAt(levels, strength)
  if (lastSeenAtMs === 0) return ['largest since records began']
  if (at - lastSeenAtMs < DAY_MS) return []
  const day = new Date(lastSeenAtMs)
  return [`largest since ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}`]
}

/** Describes the taker flow, which explains an alert and never raises one. */
function listTakerFacts({ views }: Observation): string[] {
  if (views.takerBuyShare >= 0.65) return [`${Math.round(100 * views.takerBuyShare)}% of volume bought by takers`]
  if (views.takerBuyShare <= 0.35) return [`${Math.round(100 - 100 * views.takerBuyShare)}% of volume sold by takers`]
  return []
}

export function formatPriceSummary(market: Market, observation: Observation): string {
  const windowIndex = findIndexOfMax(observation.prices)
  const move = observation.views.moves[windowIndex] ?? 0
  const clause = `Price ${formatDirection(move)} ${formatPercent(move)} in ${PRICE_WINDOWS[windowIndex]} min`
  const ratio = Math.max(...observation.views.volumes)
  const strength = Math.max(...observation.views.prices.map(Math.abs))
  const facts = [
    `${formatMultiple(Math.abs(observation.views.prices[windowIndex] ?? 0))} its usual move`,
    ...listLastSeenFacts(market.lastSeen.price, strength, observation.at),
    ...listTakerFacts(observation),
  ]
  return summarise(ratio >= 1.5 ? `${clause} on ${formatMultiple(ratio)} usual volume` : clause, clause, facts)
}

export function formatVolumeSummary(market: Market, observation: Observation): string {
  const windowIndex = findIndexOfMax(observation.volumes)
  const ratio = observation.views.volumes[windowIndex] ?? 0
  const minutes = VOLUME_WINDOWS[windowIndex]
  const clause = `Volume ${formatMultiple(ratio)} this hour's usual in ${minutes} min`
  const move = observation.views.moves[1] ?? 0
  const facts = [...listLastSeenFacts(market.lastSeen.volume, ratio, observation.at), ...listTakerFacts(observation)]
  return summarise(
    Math.abs(move) < 0.05 ? clause : `${clause}, price ${formatDirection(move)} ${formatPercent(move)}`,
    clause,
    facts,
  )
}

export function formatVolatilitySummary(market: Market, observation: Observation): string {
  const clause = `Volatility ${formatMultiple(observation.views.volatility)} the day's average for 15 min`
  return summarise(
    clause,
    clause,
    listLastSeenFacts(market.lastSeen.volatility, observation.views.volatility, observation.at),
  )
}

export function formatMarketWideSummary(
  assets: number,
  assetTotal: number,
  move: number,
  windowMinutes: number,
): string {
  const clause = `${assets} of ${assetTotal} assets ${formatDirection(move)}, ${formatPercent(move)} on average in ${windowMinutes} min`
  return summarise(clause, `${assets} of ${assetTotal} assets ${formatDirection(move)} together`, [])
}

export function formatDivergenceSummary(name: string, other: string, spread: number): string {
  const sideText = spread < 0 ? 'below' : 'above'
  const clause = `${name} is ${formatPercent(spread)} ${sideText} ${other}`
  return summarise(clause, `Price is ${formatPercent(spread)} ${sideText} its other market`, [])
}

export function formatQuietSummary(minutes: number): string {
  return `No trade for ${minutes} min, unusual for this market`
}

export function formatRushSummary(orders: number, move: number): string {
  const clause = `${orders} rush buy orders in 25 s while price rose ${formatPercent(move)}`
  return summarise(clause, `${orders} rush buy orders in 25 s`, ['possible pump'])
}
