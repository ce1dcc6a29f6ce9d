import type { Venue } from '@tocsin/engine'
import type { CandleRow } from './candles.ts'
import type { CandleSource } from './outcomes.ts'

/** A market whose candles readers can request. */
export interface CandleMarket {
  venue: Venue
  /** `BTC/USDT` */
  name: string
  /** The exchange's symbol: `BTCUSDT`. */
  symbol: string
}

export interface CandleResponse {
  status: 200 | 400 | 404 | 503
  body: { candles: CandleRow[] } | { error: string }
}

interface Block {
  rows: Promise<CandleRow[]>
  /**
   * Time from which the rows are fetched again. Infinite if the block is over and late candles
   * would have been published by now.
   */
  staleAtMs: number
}

/** Length of the blocks in which candles are fetched and cached, whatever range is requested. */
const BLOCK_SECONDS = 4 * 3_600
const MAX_BLOCKS = 200
const MAX_SECONDS = 86_400
/** Time from the end of a minute until the exchange publishes its candle. */
const READY_MS = 6_000
/** Time after the end of a block in which its missing candles may still be published. */
const LATE_SECONDS = 300
/**
 * Limit of concurrent fetches of blocks. Trades and outcomes share the rate limits of the exchange.
 */
const MAX_FETCHES = 4

/**
 * Serves the published one-minute candles of the markets that the engine watches
 * (docs/engine.md, Candles).
 */
export function createCandleFeed({
  markets,
  candles,
  nowMs,
}: {
  markets: readonly CandleMarket[]
  candles: CandleSource
  nowMs(): number
}) {
  const blocks = new Map<string, Block>()
  let runningFetches = 0

  const readBlock = (market: CandleMarket, start: number): Promise<CandleRow[]> | null => {
    const key = `${market.venue} ${market.symbol} ${start}`
    const cachedBlock = blocks.get(key)
    if (cachedBlock && nowMs() < cachedBlock.staleAtMs) return cachedBlock.rows
    if (runningFetches >= MAX_FETCHES) return null
    const publishedUntil = Math.floor((nowMs() - READY_MS) / 60_000) * 60
    const end = Math.min(start + BLOCK_SECONDS, publishedUntil)
    if (end <= start) return Promise.resolve([])
    runningFetches += 1
    const rows = candles(market.venue, market.symbol, start, end).finally(() => {
      runningFetches -= 1
    })
    const isComplete = end + LATE_SECONDS <= publishedUntil
    const block = { rows, staleAtMs: isComplete ? Number.POSITIVE_INFINITY : (publishedUntil + 60) * 1_000 + READY_MS }
    blocks.delete(key)
    blocks.set(key, block)
    rows.catch(() => {
      if (blocks.get(key) === block) blocks.delete(key)
    })
    for (const oldestKey of blocks.keys()) {
      if (blocks.size <= MAX_BLOCKS) break
      blocks.delete(oldestKey)
    }
    return rows
  }
  return {
    async respond(query: URLSearchParams): Promise<CandleResponse> {
      const [from, to] = [parseSeconds(query.get('from')), parseSeconds(query.get('to'))]
      if (from === null || to === null || from >= to || to - from > MAX_SECONDS)
        return createErrorResponse(400, 'Expected from and to in seconds since 1970, at most a day apart')
      const [venue, marketName] = [query.get('venue'), query.get('market')]
      const market = markets.find(
        (one) => one.venue === venue && (one.name === marketName || one.symbol === marketName),
      )
      if (!market) return createErrorResponse(404, 'The engine does not watch this market')
      const blockRows: CandleRow[][] = []
      try {
        const end = Math.min(to, Math.floor(nowMs() / 1_000))
        for (let start = from - (from % BLOCK_SECONDS); start < end; start += BLOCK_SECONDS) {
          const rows = readBlock(market, start)
          if (!rows) return createErrorResponse(503, 'Too many candles are being fetched')
          blockRows.push(await rows)
        }
      } catch {
        return createErrorResponse(503, 'The candles cannot be fetched now')
      }
      return { status: 200, body: { candles: blockRows.flat().filter(([at]) => at >= from && at < to) } }
    },
  }
}

export type CandleFeed = ReturnType<typeof createCandleFeed>

function createErrorResponse(status: 400 | 404 | 503, error: string): CandleResponse {
  return { status, body: { error } }
}

function parseSeconds(text: string | null): number | null {
  return text !== null && /^\d{1,11}$/.test(text) ? Number(text) : null
}
