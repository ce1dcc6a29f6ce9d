import { type MarketCandles, type MarketCandlesQuery, marketCandles } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { createOutageLog } from '../../outage-log.ts'
import { setNewest } from '../../set-newest.ts'

const TIMEOUT_MS = 10_000
/** Maximum size of a response. A day of candles has about 150 kB. */
const MAX_BYTES = 1024 * 1024
const MAX_CACHED_RANGES = 100
/** Lifetimes of cached candles. A range that has ended does not change. */
const LIFETIME_MS = { current: 10_000, past: 60 * 60_000 }
const PAST_AFTER_MS = 10 * 60_000

interface CacheEntry {
  candles: Promise<MarketCandles | null>
  untilMs: number
}

/**
 * Creates a reader of candles from the operator's source of market data, which serves `/candles`
 * beside `/ticks` (docs/engine.md). Identical reads share one request. The reader returns null for
 * unknown markets, and if no source is configured.
 */
export function createCandleReader(ctx: Pick<Context, 'config' | 'clock' | 'logger'>) {
  const cache = new Map<string, CacheEntry>()
  const outage = createOutageLog({ begins: 'candles cannot be read', ends: 'candles can be read again' })
  const base = toCandlesUrl(ctx.config.marketData?.url ?? null)
  const key = ctx.config.marketData?.key ?? null

  const fetchCandles = async (url: string): Promise<MarketCandles | null> => {
    try {
      const response = await fetch(url, {
        headers: key === null ? {} : { authorization: `Bearer ${key}` },
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      // 404 and 426 (Upgrade Required) are not failures: the source has no candles of this market.
      if (response.status === 404 || response.status === 426) return null
      if (!response.ok) throw new Error(`The source responded with status ${response.status}`)
      const candles = marketCandles.parse(JSON.parse(await readText(response)))
      outage.recordSuccess(ctx)
      return candles
    } catch (error) {
      outage.recordFailure(ctx, error)
      return null
    }
  }
  return async (query: MarketCandlesQuery): Promise<MarketCandles | null> => {
    if (base === null) return null
    const url = `${base}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`
    const nowMs = ctx.clock.now().getTime()
    const cachedEntry = cache.get(url)
    if (cachedEntry && nowMs < cachedEntry.untilMs) return cachedEntry.candles
    const lifetimeMs = query.to * 1_000 < nowMs - PAST_AFTER_MS ? LIFETIME_MS.past : LIFETIME_MS.current
    const entry = { candles: fetchCandles(url), untilMs: nowMs + lifetimeMs }
    setNewest(cache, url, entry, MAX_CACHED_RANGES)
    const candles = await entry.candles
    // Failures are cached for a shorter time, so that they are retried soon.
    if (candles === null) entry.untilMs = Math.min(entry.untilMs, nowMs + LIFETIME_MS.current)
    return candles
  }
}

/**
 * Returns the URL of the candles: `https://host/candles` for `wss://host/ticks`, and null for other
 * paths.
 */
export function toCandlesUrl(url: string | null): string | null {
  const [, hostAndPath] = /^ws(s?:\/\/[^?#]*\/)ticks$/.exec(url ?? '') ?? []
  return hostAndPath === undefined ? null : `http${hostAndPath}candles`
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error('The response of the source is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
