import { MINUTE_MS } from './durations.ts'
import type { Candle, Gap, Tick, Venue } from './tick.ts'

/** A finished minute of one market. */
export interface Minute {
  /** Start of the minute, in milliseconds since the epoch. */
  at: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  takerBuyVolume: number
  /** True if a trade of this minute may be missing. Alerts never come from such a minute. */
  incomplete: boolean
}

/**
 * One second of trades. `first` and `last` are the lowest and the highest trade number. They decide
 * `open` and `close`, so the order in which trades arrive does not matter.
 */
interface Second {
  /** Number of the second since 1970, -1 if empty. */
  at: number
  first: number
  last: number
  open: number
  close: number
  high: number
  low: number
  volume: number
  takerBuyVolume: number
}

/**
 * A range of trade numbers that have not arrived (both ends included), and the time of the trade
 * with a later number that revealed the gap.
 */
type MissingRange = [from: number, to: number, revealedAt: number]

export interface MinuteAggregator {
  /** True if the exchange numbers the trades of a market without gaps. */
  gapless: boolean
  /** Close of the last finished minute, 0 before the first. */
  close: number
  /** Start of the open minute, -1 before the first event. */
  minute: number
  lastNumber: number
  missing: MissingRange[]
  /**
   * Gaps that affect the open minute or a later one: gaps that the source has reported (see `Gap`),
   * and the time from a late trade to the end of the open minute.
   */
  gaps: { from: number; to: number }[]
  seconds: Second[]
  /**
   * Number of ticks that arrived twice (`duplicates`), and of ticks of a minute that was already
   * closed (`late`).
   */
  duplicates: number
  late: number
}

/** Time that a minute stays open after its end, for trades that arrive late. */
export const GRACE_MS = 1000
/**
 * Number of seconds in memory. More than a minute and the grace period, so that no open second is
 * overwritten.
 */
const KEPT_SECONDS = 64
/** Maximum number of ranges of missing trade numbers. Beyond it, the oldest range is dropped. */
const MAX_MISSING_RANGES = 32
/**
 * Maximum number of gaps. Beyond it, the two oldest become one, so that the time between them is
 * incomplete too.
 */
const MAX_GAPS = 32

const createSecond = (): Second => ({
  at: -1,
  first: 0,
  last: 0,
  open: 0,
  close: 0,
  high: 0,
  low: 0,
  volume: 0,
  takerBuyVolume: 0,
})

/** Venues whose documentation promises consecutive trade numbers. */
const GAPLESS_VENUES: readonly Venue[] = ['binance', 'binance-usdm', 'okx', 'simulated']

export function createBars(venue: Venue): MinuteAggregator {
  return {
    gapless: GAPLESS_VENUES.includes(venue),
    close: 0,
    minute: -1,
    lastNumber: -1,
    missing: [],
    gaps: [],
    seconds: Array.from({ length: KEPT_SECONDS }, createSecond),
    duplicates: 0,
    late: 0,
  }
}

/**
 * Adds a trade to its second. The caller must have closed all minutes that ended at least GRACE_MS
 * before the trade. Returns false if the trade was a duplicate or too late, and changed no bar.
 * @param oldestOpenMinute start of the oldest minute that the caller has not closed
 */
export function addTick(bars: MinuteAggregator, tick: Tick, oldestOpenMinute = 0): boolean {
  if (!recordTradeNumbers(bars, tick)) {
    bars.duplicates++
    return false
  }
  const openMinute = Math.max(bars.minute, oldestOpenMinute)
  if (tick.at < openMinute) {
    bars.late++
    // The closed minutes since this trade lack it, so no window may contain them. A trade that is
    // not the newest fills missing numbers, which have already made their minute incomplete.
    if (tick.number === bars.lastNumber) addGap(bars, { from: tick.at, to: openMinute + MINUTE_MS })
    return false
  }
  // Opens the first minute. Also replaces an open minute before `oldestOpenMinute`, because the
  // caller does not close it any more.
  if (bars.minute < oldestOpenMinute) bars.minute = tick.at - (tick.at % MINUTE_MS)
  const secondNumber = Math.floor(tick.at / 1000)
  const second = bars.seconds[secondNumber % KEPT_SECONDS] as Second
  if (second.at === secondNumber) extendSecond(second, tick)
  else startSecond(second, secondNumber, tick)
  return true
}

function startSecond(second: Second, at: number, tick: Tick): void {
  second.at = at
  second.first = tick.number
  second.last = tick.number
  second.open = tick.price
  second.close = tick.price
  second.high = tick.price
  second.low = tick.price
  second.volume = tick.amount
  second.takerBuyVolume = tick.takerSide === 'buy' ? tick.amount : 0
}

function extendSecond(second: Second, tick: Tick): void {
  if (tick.number > second.last) {
    second.last = tick.number
    second.close = tick.price
  } else if (tick.number < second.first) {
    second.first = tick.number
    second.open = tick.price
  }
  if (tick.price > second.high) second.high = tick.price
  if (tick.price < second.low) second.low = tick.price
  second.volume += tick.amount
  if (tick.takerSide === 'buy') second.takerBuyVolume += tick.amount
}

/** Records the trade numbers of a tick. Returns false if they arrived before. */
function recordTradeNumbers(bars: MinuteAggregator, tick: Tick): boolean {
  const from = tick.number - tick.count + 1
  if (bars.lastNumber !== -1 && tick.number <= bars.lastNumber) return removeMissing(bars, from, tick.number)
  if (bars.lastNumber !== -1 && from > bars.lastNumber + 1) {
    bars.missing.push([bars.lastNumber + 1, from - 1, tick.at])
    if (bars.missing.length > MAX_MISSING_RANGES) bars.missing.shift()
  }
  bars.lastNumber = tick.number
  return true
}

function removeMissing(bars: MinuteAggregator, from: number, to: number): boolean {
  const rangeIndex = bars.missing.findIndex((range) => range[0] <= from && to <= range[1])
  const range = bars.missing[rangeIndex]
  if (range === undefined) return false
  const remainingRanges: MissingRange[] = []
  if (range[0] < from) remainingRanges.push([range[0], from - 1, range[2]])
  if (to < range[1]) remainingRanges.push([to + 1, range[1], range[2]])
  bars.missing.splice(rangeIndex, 1, ...remainingRanges)
  return true
}

export function addGap(bars: MinuteAggregator, { from, to, restarted }: Pick<Gap, 'from' | 'to' | 'restarted'>): void {
  bars.gaps.push({ from, to })
  const [oldest, next] = bars.gaps
  if (bars.gaps.length > MAX_GAPS && oldest && next)
    bars.gaps.splice(0, 2, { from: Math.min(oldest.from, next.from), to: Math.max(oldest.to, next.to) })
  if (restarted === undefined) return
  bars.lastNumber = -1
  bars.missing = []
}

/** True if, as far as is known now, a trade of the minute that starts at `at` may be missing. */
export function isIncomplete(bars: MinuteAggregator, at: number): boolean {
  const end = at + MINUTE_MS
  if (bars.gaps.some((gap) => gap.from < end && gap.to > at)) return true
  return bars.gapless && bars.missing.some((range) => range[2] >= at && range[2] < end + GRACE_MS)
}

/**
 * Closes the open minute and opens the next one. A minute without trades repeats the last close.
 */
export function closeMinute(bars: MinuteAggregator): Minute {
  const at = bars.minute
  const minute: Minute = {
    at,
    open: bars.close,
    high: bars.close,
    low: bars.close,
    close: bars.close,
    volume: 0,
    takerBuyVolume: 0,
    incomplete: bars.close === 0 || isIncomplete(bars, at),
  }
  let isEmpty = true
  for (let i = at / 1000; i < at / 1000 + 60; i++) {
    const second = bars.seconds[i % KEPT_SECONDS] as Second
    if (second.at !== i) continue
    if (isEmpty) {
      minute.open = second.open
      minute.high = second.high
      minute.low = second.low
      isEmpty = false
    }
    minute.high = Math.max(minute.high, second.high)
    minute.low = Math.min(minute.low, second.low)
    minute.close = second.close
    minute.volume += second.volume
    minute.takerBuyVolume += second.takerBuyVolume
  }
  advance(bars, minute)
  return minute
}

/** Converts a candle to a finished minute, and opens the minute after it. */
export function createMinuteOfCandle(bars: MinuteAggregator, candle: Candle): Minute {
  const { at, open, high, low, close, volume } = candle
  const incomplete = isIncomplete(bars, at)
  const minute = { at, open, high, low, close, volume, takerBuyVolume: candle.takerBuyVolume ?? volume / 2, incomplete }
  advance(bars, minute)
  return minute
}

function advance(bars: MinuteAggregator, minute: Minute): void {
  bars.close = minute.close
  bars.minute = minute.at + MINUTE_MS
  bars.gaps = bars.gaps.filter((gap) => gap.to > bars.minute)
}
