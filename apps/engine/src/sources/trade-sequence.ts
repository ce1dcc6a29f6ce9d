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
export function createTradeSequence(output: SequenceOutput, resumedPosition: Position | null = null) {
  let lastPosition = resumedPosition
  /** Trades behind a gap, sorted by number. */
  let waitingTrades: WireTrade[] = []
  let backwardsCount = 0

  const passTrade = (trade: WireTrade) => {
    // A late trade keeps its own time, but the time of the market does not go back.
    lastPosition = { number: trade.number, at: Math.max(trade.at, lastPosition?.at ?? 0) }
    output.trade(trade)
  }
  const passWaitingTrades = () => {
    let passedCount = 0
    for (const trade of waitingTrades) {
      if (lastPosition !== null && getFirstNumber(trade) > lastPosition.number + 1) break
      if (lastPosition === null || trade.number > lastPosition.number) passTrade(trade)
      passedCount += 1
    }
    if (passedCount > 0) waitingTrades = waitingTrades.slice(passedCount)
  }
  const insertTrade = (trade: WireTrade): boolean => {
    let insertIndex = waitingTrades.length
    while (insertIndex > 0 && (waitingTrades[insertIndex - 1]?.number ?? 0) >= trade.number) insertIndex -= 1
    const [previousTrade, nextTrade] = [waitingTrades[insertIndex - 1], waitingTrades[insertIndex]]
    // Streams combine trades that REST pages list one by one. Each trade must count only once.
    const isKnownTrade = nextTrade !== undefined && getFirstNumber(nextTrade) <= trade.number
    const isPartlyKnownTrade = previousTrade !== undefined && previousTrade.number >= getFirstNumber(trade)
    if (isKnownTrade || isPartlyKnownTrade) return false
    waitingTrades.splice(insertIndex, 0, trade)
    return true
  }
  const giveUp = () => {
    while (waitingTrades[0]) {
      const { at } = waitingTrades[0]
      if (lastPosition !== null) output.lost(Math.min(lastPosition.at, at), Math.max(lastPosition.at, at) + 1)
      lastPosition = { number: getFirstNumber(waitingTrades[0]) - 1, at: lastPosition?.at ?? at }
      passWaitingTrades()
    }
  }
  const renumber = (trade: WireTrade, from: number) => {
    backwardsCount = 0
    waitingTrades = []
    output.lost(from, trade.at + 1, true)
    passTrade(trade)
  }

  return {
    position: () => lastPosition,
    /** Adds a trade. Returns false if it was emitted before, or if its number went backwards. */
    accept(trade: WireTrade): boolean {
      if (waitingTrades.length === 0 && (lastPosition === null || getFirstNumber(trade) === lastPosition.number + 1)) {
        backwardsCount = 0
        passTrade(trade)
        return true
      }
      if (lastPosition !== null && getFirstNumber(trade) <= lastPosition.number) {
        if (trade.at <= lastPosition.at) return false
        backwardsCount += 1
        if (backwardsCount < RENUMBERED_AFTER) return false
        renumber(trade, lastPosition.at)
        return true
      }
      backwardsCount = 0
      if (!insertTrade(trade)) return false
      passWaitingTrades()
      if (waitingTrades.length > MAX_WAITING) giveUp()
      return true
    },
    /** Returns the range of numbers from the first missing one to the end of the newest gap. */
    missing(): NumberRange | null {
      const newestTrade = waitingTrades.at(-1)
      return lastPosition === null || newestTrade === undefined
        ? null
        : { from: lastPosition.number + 1, to: getFirstNumber(newestTrade) - 1 }
    },
    /**
     * Inserts trades of the exchange's REST pages.
     * @param skippedRange a range in which numbers that are still missing were never used
     * @returns how many trades were new
     */
    fill(trades: readonly WireTrade[], skippedRange: NumberRange | null): number {
      let filledCount = 0
      for (const trade of trades) {
        if ((lastPosition === null || getFirstNumber(trade) > lastPosition.number) && insertTrade(trade))
          filledCount += 1
      }
      passWaitingTrades()
      while (
        skippedRange &&
        lastPosition &&
        waitingTrades[0] &&
        lastPosition.number + 1 >= skippedRange.from &&
        getFirstNumber(waitingTrades[0]) <= skippedRange.to + 1
      ) {
        lastPosition = { number: getFirstNumber(waitingTrades[0]) - 1, at: lastPosition.at }
        passWaitingTrades()
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
