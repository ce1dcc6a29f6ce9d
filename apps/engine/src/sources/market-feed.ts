import type { Gap, Tick } from '@tocsin/engine'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { formatMarketKey, formatSymbol, type Market } from '../market.ts'
import type { Scheduler } from '../scheduler.ts'
import { fetchNewestTrades, fetchTrades } from './fetch-trades.ts'
import type { RefusalReason, WireTrade } from './frame.ts'
import type { RestClient } from './rest-client.ts'
import { createTradeSequence, type NumberRange, type Position } from './trade-sequence.ts'
import { venueRest } from './venue-rest.ts'
import type { VenueStream } from './venues.ts'

export interface FeedDependencies {
  nowMs(): number
  schedule: Scheduler
  emit(event: Tick | Gap): void
  /** Called with the exchange time of each trade that the stream sends when it happens. */
  noteLiveTrade(at: number): void
}

export interface MarketStatus {
  market: string
  /** Number and exchange time of the newest trade. */
  newest: Position | null
  trades: number
  /** Time from the newest trade of the stream (exchange's clock) to its arrival (our clock). */
  lagMs: number | null
  gapsFilled: number
  tradesFilled: number
  gapsLost: number
  isCatchingUp: boolean
  refused: Partial<Record<RefusalReason, number>>
}

/**
 * Maximum time for which event time waits for a market that lacks trades. After this time, the
 * missing trades are reported as lost, so the bars of that market are incomplete.
 */
const HOLD_MS = 15_000
/** Time to wait for a trade that arrives out of order before it is requested over REST. */
const GRACE_MS = 200
const RETRY_MS = 1_000
const MAX_CLOCK_SKEW_MS = 60_000
const MAX_AGE_MS = 24 * 3_600_000

/**
 * Creates the feed of one market. It checks the trades, orders them by number, fills gaps over REST
 * and reports lost trades.
 * @param resumedPosition the newest trade that the engine knows, or null
 * @param resumedAt event time of the engine's state, in milliseconds; 0 if no state was saved
 */
export function createMarketFeed(
  market: Market,
  stream: VenueStream,
  client: RestClient,
  { nowMs, schedule, emit, noteLiveTrade }: FeedDependencies,
  resumedPosition: Position | null,
  resumedAt = 0,
) {
  const { venue, name } = market
  const rest = venueRest[venue]
  const symbol = formatSymbol(market)
  const status: MarketStatus = {
    market: formatMarketKey(market),
    newest: resumedPosition,
    trades: 0,
    lagMs: null,
    gapsFilled: 0,
    tradesFilled: 0,
    gapsLost: 0,
    isCatchingUp: true,
    refused: {},
  }
  let isSubscribed = false
  let isFilling = false
  let isResyncing = false
  /** Time since which the market may lack trades; null if it is complete. */
  let behindSinceMs: number | null = nowMs()
  /** Trades up to this time are reported as lost although they may still arrive. */
  let lostUntil: number | null = null
  let resyncedTo = 0
  let hasStarted = resumedPosition !== null
  /**
   * Used until the first trade arrives: time up to which trades are known or reported as lost. It
   * is first the event time of the engine's state, then the start of the stream. Null if the engine
   * has no saved state, or already knows a trade of the market.
   */
  let knownUntil = resumedPosition === null && resumedAt > 0 ? resumedAt : null

  const reportLoss = (from: number, to: number, restarted = false) => {
    status.gapsLost += 1
    if (restarted) resyncedTo = 0
    emit({ type: 'gap', venue, market: name, from, to, ...(restarted ? { restarted: true as const } : {}) })
  }
  const sequence = createTradeSequence(
    {
      trade({ number, count, at, price, amount, takerSide }) {
        // Before the first trade, report a gap. It begins with the minute of that trade, or at
        // `knownUntil` if that is earlier.
        const from = Math.min(at - (at % MINUTE_MS), knownUntil ?? at)
        if (!hasStarted && from < at) emit({ type: 'gap', venue, market: name, from, to: at })
        hasStarted = true
        status.trades += 1
        emit({ type: 'tick', venue, market: name, number, count, at, price, amount, takerSide })
      },
      lost: reportLoss,
    },
    resumedPosition,
  )
  const refuse = (reason: RefusalReason) => {
    status.refused[reason] = (status.refused[reason] ?? 0) + 1
  }
  const isTimely = ({ at }: WireTrade): boolean => {
    const now = nowMs()
    if (at <= now + MAX_CLOCK_SKEW_MS && at >= now - MAX_AGE_MS) return true
    refuse(at > now ? 'time-in-future' : 'time-in-past')
    return false
  }
  const updateBehind = () => {
    const isBehind = !isSubscribed || isResyncing || sequence.missing() !== null
    if (isBehind) behindSinceMs ??= nowMs()
    else {
      behindSinceMs = null
      lostUntil = null
    }
  }
  const isOverdue = () => behindSinceMs !== null && nowMs() - behindSinceMs >= HOLD_MS
  const waitMs = (ms: number) => new Promise<void>((resolve) => void schedule.after(ms, resolve))

  /** Returns true if another attempt may help. */
  const fillOnce = async (range: NumberRange): Promise<boolean> => {
    if (range.to - range.from >= stream.maxFillTrades) return false
    const lastPosition = sequence.position() ?? { number: range.from - 1, at: nowMs() }
    const { trades, isCovered } = await fetchTrades(client, rest, symbol, range, lastPosition, stream.maxFillPages)
    const filledCount = sequence.fill(trades.filter(isTimely), isCovered && !stream.isGapless ? range : null)
    status.tradesFilled += filledCount
    if (sequence.missing() === null) {
      if (filledCount > 0) status.gapsFilled += 1
      return false
    }
    return !isCovered
  }
  const fill = async () => {
    if (isFilling) return
    isFilling = true
    updateBehind()
    await waitMs(GRACE_MS)
    for (let range = sequence.missing(); range !== null; range = sequence.missing()) {
      const mayHelp = lostUntil === null && !isOverdue() && (await fillOnce(range).catch(() => true))
      if (sequence.missing() === null) break
      if (mayHelp && !isOverdue()) await waitMs(RETRY_MS)
      else sequence.giveUp()
    }
    isFilling = false
    updateBehind()
  }
  /**
   * Fetches the newest page and adds its trades. Without this, trades that were missed during an
   * interruption would be noticed only when the next trade arrives, which can take a long time in a
   * quiet market.
   */
  const resync = async () => {
    if (isResyncing || sequence.position() === null) return
    isResyncing = true
    let isDone = false
    while (!isDone && isSubscribed && !isOverdue()) {
      const newestNumber = sequence.position()?.number ?? 0
      const newestTrades = await fetchNewestTrades(client, rest, symbol).catch(() => null)
      for (const trade of newestTrades ?? []) {
        if (trade.number > newestNumber && isTimely(trade) && sequence.accept(trade)) status.tradesFilled += 1
      }
      isDone = newestTrades !== null
      if (!isDone) await waitMs(RETRY_MS)
    }
    isResyncing = false
    updateBehind()
    if (sequence.missing()) void fill()
  }

  return {
    ingest(trade: WireTrade, isSnapshot: boolean) {
      if (!isTimely(trade)) return
      if (!isSnapshot) {
        status.lagMs = nowMs() - trade.at
        noteLiveTrade(trade.at)
      }
      if (!sequence.accept(trade) && !isSnapshot) refuse('number-backwards')
      if (lostUntil !== null && isSubscribed) {
        sequence.giveUp()
        updateBehind()
      } else if (sequence.missing()) void fill()
    },
    /** Called when the exchange has stated the newest trade number. */
    noteNewest(number: number) {
      const knownPosition = sequence.position()
      if (!knownPosition || number <= Math.max(knownPosition.number, resyncedTo) || sequence.missing()) return
      // The running request may have been answered before this trade. The next heartbeat tries
      // again.
      if (isResyncing) return
      resyncedTo = number
      void resync()
    },
    refuse,
    subscribed() {
      if (isSubscribed) return
      isSubscribed = true
      if (sequence.position() !== null) {
        // While `lostUntil` is null, no minute has ended since the market became overdue. Its bar
        // can still be completed, so start to wait again.
        if (isOverdue() && lostUntil === null) behindSinceMs = nowMs()
        return void resync()
      }
      const now = nowMs()
      if (knownUntil !== null && knownUntil < now) {
        reportLoss(knownUntil, now)
        knownUntil = now
      }
      updateBehind()
    },
    disconnected() {
      isSubscribed = false
      updateBehind()
    },
    /**
     * Returns true if event time may advance to `at`: the market has all its trades, or the missing
     * ones are reported as lost.
     */
    advance(at: number): boolean {
      updateBehind()
      if (behindSinceMs === null) return true
      if (!isOverdue()) return false
      sequence.giveUp()
      const knownAt = sequence.position()?.at ?? knownUntil
      const from = lostUntil ?? knownAt ?? at
      if (at >= from) {
        // Losses are reported once per minute, before the clock closes that minute's bar.
        lostUntil = at - (at % MINUTE_MS) + MINUTE_MS
        if (knownAt !== null) reportLoss(from, lostUntil)
      }
      return true
    },
    status: (): MarketStatus => ({ ...status, newest: sequence.position(), isCatchingUp: behindSinceMs !== null }),
  }
}

export type MarketFeed = ReturnType<typeof createMarketFeed>
