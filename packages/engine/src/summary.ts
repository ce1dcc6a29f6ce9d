import { DAY_MS } from './durations.ts'
import type { Market, Observation } from './market.ts'
import { lastSeenAt } from './market.ts'
import { PRICE_WINDOWS, VOLUME_WINDOWS } from './statistics.ts'
import { indexOfMax } from './surprise.ts'

/**
 * Maximum length of the first clause of a summary, which stands alone. Further facts follow after
 * `; `.
 */
export const CLAUSE_LENGTH = 60

const MONTHS = ['Jan', 'Feb', 'March', 'April', 'May', 'June', 'July', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec']

// Pages show changes and multiples with the same number of decimals.
const percent = (value: number) => `${Math.abs(value).toFixed(2)}%`
const times = (value: number) => `${value.toFixed(value < 9.95 ? 1 : 0)}×`
const formatDirection = (move: number) => (move < 0 ? 'fell' : 'rose')

/** Joins a clause and facts. Uses the shorter clause if the clause is too long. */
function summarise(clause: string, shorter: string, facts: readonly string[]): string {
  const first = clause.length <= CLAUSE_LENGTH ? clause : shorter
  return facts.length === 0 ? first : `${first}; ${facts.join('; ')}`
}

function lastSeenFact(levels: readonly number[], strength: number, at: number): string[] {
  const seen = lastSeenAt(levels, strength)
  if (seen === 0) return ['largest since records began']
  if (at - seen < DAY_MS) return []
  const day = new Date(seen)
  return [`last seen on ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}`]
}

/** Describes the taker flow, which explains an alert and never raises one. */
function takerFact({ views }: Observation): string[] {
  if (views.takerBuyShare >= 0.65) return [`${Math.round(100 * views.takerBuyShare)}% of volume bought by takers`]
  if (views.takerBuyShare <= 0.35) return [`${Math.round(100 - 100 * views.takerBuyShare)}% of volume sold by takers`]
  return []
}

export function priceSummary(market: Market, seen: Observation): string {
  const window = indexOfMax(seen.prices)
  const move = seen.views.moves[window] ?? 0
  const clause = `Price ${formatDirection(move)} ${percent(move)} in ${PRICE_WINDOWS[window]} min`
  const ratio = Math.max(...seen.views.volumes)
  const strength = Math.max(...seen.views.prices.map(Math.abs))
  const facts = [
    `${times(Math.abs(seen.views.prices[window] ?? 0))} its usual move`,
    ...lastSeenFact(market.lastSeen.price, strength, seen.at),
    ...takerFact(seen),
  ]
  return summarise(ratio >= 1.5 ? `${clause} on ${times(ratio)} usual volume` : clause, clause, facts)
}

export function volumeSummary(market: Market, seen: Observation): string {
  const window = indexOfMax(seen.volumes)
  const ratio = seen.views.volumes[window] ?? 0
  const minutes = VOLUME_WINDOWS[window]
  const clause = `Volume ${times(ratio)} this hour's usual in ${minutes} min`
  const move = seen.views.moves[1] ?? 0
  const facts = [...lastSeenFact(market.lastSeen.volume, ratio, seen.at), ...takerFact(seen)]
  return summarise(
    Math.abs(move) < 0.05 ? clause : `${clause}, price ${formatDirection(move)} ${percent(move)}`,
    clause,
    facts,
  )
}

export function volatilitySummary(market: Market, seen: Observation): string {
  const clause = `Volatility ${times(seen.views.volatility)} the day's average for 15 min`
  return summarise(clause, clause, lastSeenFact(market.lastSeen.volatility, seen.views.volatility, seen.at))
}

export function marketWideSummary(assets: number, all: number, move: number, window: number): string {
  const clause = `${assets} of ${all} assets ${formatDirection(move)}, ${percent(move)} on average in ${window} min`
  return summarise(clause, `${assets} of ${all} assets ${formatDirection(move)} together`, [])
}

export function divergenceSummary(name: string, other: string, spread: number): string {
  const side = spread < 0 ? 'below' : 'above'
  const clause = `${name} is ${percent(spread)} ${side} ${other}`
  return summarise(clause, `Price is ${percent(spread)} ${side} its other market`, [])
}

export function quietSummary(minutes: number): string {
  const clause = `No trade for ${minutes} min, unusual for this market`
  return summarise(clause, clause, [])
}

export function rushSummary(orders: number, move: number): string {
  const clause = `${orders} rush buy orders in 25 s while price rose ${percent(move)}`
  return summarise(clause, `${orders} rush buy orders in 25 s`, ['possible pump'])
}
