import type { WireTrade } from './frame.ts'

/** A range of trade numbers, both ends included. */
export interface NumberRange {
  from: number
  to: number
}

export interface SequenceOutput {
  trade(trade: WireTrade): void
  /**
   * Reports that trades between these times are lost. `to` is exclusive.
   * @param restarted true if the exchange has restarted its numbering
   */
  lost(from: number, to: number, restarted?: boolean): void
}

/** The newest trade that was emitted. */
export interface Position {
  number: number
  at: number
}

/** Maximum number of trades that wait behind a gap. Beyond it, the gap counts as lost. */
const MAX_WAITING = 20_000
/**
 * Number of newer trades in a row with lower numbers after which the exchange is assumed to have
 * restarted its numbering.
 */
const RENUMBERED_AFTER = 20

/**
 * Emits the trades of one market exactly once each, ordered by trade number. Trades behind a gap
 * wait until the gap is filled or given up.
 */
export function createTradeSequence(output: SequenceOutput, resumed: Position | null = null) {
  let last = resumed
  /** Trades behind a gap, sorted by number. */
  let waiting: WireTrade[] = []
  let backwards = 0

  const pass = (trade: WireTrade) => {
    // A late trade keeps its own time, but the time of the market does not go back.
    last = { number: trade.number, at: Math.max(trade.at, last?.at ?? 0) }
    output.trade(trade)
  }
  const passWaiting = () => {
    let passedCount = 0
    for (const trade of waiting) {
      if (last !== null && getFirstNumber(trade) > last.number + 1) break
      if (last === null || trade.number > last.number) pass(trade)
      passedCount += 1
    }
    if (passedCount > 0) waiting = waiting.slice(passedCount)
  }
  const insert = (trade: WireTrade): boolean => {
    let at = waiting.length
    while (at > 0 && (waiting[at - 1]?.number ?? 0) >= trade.number) at -= 1
    const [previous, next] = [waiting[at - 1], waiting[at]]
    // Streams combine trades that REST pages list one by one. Each trade must count only once.
    const isKnown = next !== undefined && getFirstNumber(next) <= trade.number
    const isPartlyKnown = previous !== undefined && previous.number >= getFirstNumber(trade)
    if (isKnown || isPartlyKnown) return false
    waiting.splice(at, 0, trade)
    return true
  }
  const giveUp = () => {
    while (waiting[0]) {
      const { at } = waiting[0]
      if (last !== null) output.lost(Math.min(last.at, at), Math.max(last.at, at) + 1)
      last = { number: getFirstNumber(waiting[0]) - 1, at: last?.at ?? at }
      passWaiting()
    }
  }
  const renumber = (trade: WireTrade, from: number) => {
    backwards = 0
    waiting = []
    output.lost(from, trade.at + 1, true)
    pass(trade)
  }

  return {
    position: () => last,
    /** Adds a trade. Returns false if it was emitted before, or if its number went backwards. */
    accept(trade: WireTrade): boolean {
      if (waiting.length === 0 && (last === null || getFirstNumber(trade) === last.number + 1)) {
        backwards = 0
        pass(trade)
        return true
      }
      if (last !== null && getFirstNumber(trade) <= last.number) {
        if (trade.at <= last.at) return false
        backwards += 1
        if (backwards < RENUMBERED_AFTER) return false
        renumber(trade, last.at)
        return true
      }
      backwards = 0
      if (!insert(trade)) return false
      passWaiting()
      if (waiting.length > MAX_WAITING) giveUp()
      return true
    },
    /** Returns the range of numbers from the first missing one to the end of the newest gap. */
    missing(): NumberRange | null {
      const newest = waiting.at(-1)
      return last === null || newest === undefined ? null : { from: last.number + 1, to: getFirstNumber(newest) - 1 }
    },
    /**
     * Inserts trades of the exchange's REST pages.
     * @param skipped a range in which numbers that are still missing were never used
     * @returns how many trades were new
     */
    fill(trades: readonly WireTrade[], skipped: NumberRange | null): number {
      let filledCount = 0
      for (const trade of trades) {
        if ((last === null || getFirstNumber(trade) > last.number) && insert(trade)) filledCount += 1
      }
      passWaiting()
      while (
        skipped &&
        last &&
        waiting[0] &&
        last.number + 1 >= skipped.from &&
        getFirstNumber(waiting[0]) <= skipped.to + 1
      ) {
        last = { number: getFirstNumber(waiting[0]) - 1, at: last.at }
        passWaiting()
      }
      return filledCount
    },
    /** Reports each remaining gap as lost and emits the waiting trades. */
    giveUp,
  }
}

/** Returns the first of the numbers that a trade combines. */
function getFirstNumber({ number, count }: WireTrade): number {
  return number - count + 1
}
