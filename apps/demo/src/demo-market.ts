import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** The market of a demo, and the settings of the engine that watches it. */
export interface DemoMarket {
  kind: 'simulated' | 'live'
  engineEnv: Record<string, string>
}

interface MarketRequest {
  /** Folder of the engine. */
  dir: string
  wanted: 'simulated' | 'live'
  /** ENGINE_MARKETS and ENGINE_<VENUE>_URL, if they are set. */
  engineEnv: Record<string, string>
  historyDays: number
  print(line: string): void
}

const PROBE_TIMEOUT_MS = 3_000
/** Random seed of the simulated market. The market and the track record depend on it. */
const SEED = '18'
/**
 * Number of days of published candles with which a live market begins: a day of warm-up and two
 * days of alerts.
 */
const LIVE_HISTORY_DAYS = '3'

/**
 * The exchanges in order of preference. The engine, a separate program, has its own list of their
 * addresses.
 */
const venues = [
  { venue: 'binance', name: 'Binance', quote: 'USDT', probe: 'https://data-api.binance.vision/api/v3/ping' },
  { venue: 'okx', name: 'OKX', quote: 'USDT', probe: 'https://www.okx.com/api/v5/public/time' },
  { venue: 'coinbase', name: 'Coinbase', quote: 'USD', probe: 'https://api.exchange.coinbase.com/time' },
  { venue: 'kraken', name: 'Kraken', quote: 'USD', probe: 'https://api.kraken.com/0/public/Time' },
] as const
const bases = ['BTC', 'ETH', 'SOL', 'XRP']

const savedSchema = z.object({ markets: z.string() })

/**
 * Chooses between the simulated market and the live one. A data folder keeps its first choice,
 * because a track record must not mix alerts of both. Takes a few seconds at most.
 */
export async function chooseMarket({ dir, wanted, engineEnv, historyDays, print }: MarketRequest): Promise<DemoMarket> {
  const simulated: DemoMarket = {
    kind: 'simulated',
    engineEnv: { ENGINE_SIMULATE: SEED, ENGINE_HISTORY_DAYS: String(historyDays) },
  }
  const file = join(dir, 'live.json')
  const isLive = existsSync(file)
  if (existsSync(join(dir, 'simulation.json'))) {
    if (wanted === 'live')
      print('This demo began on a simulated market and stays on it. Set another DATA_DIR for DEMO_MARKET=live.')
    return simulated
  }
  if (wanted === 'simulated' && !isLive) return simulated
  if (wanted === 'simulated')
    print('This demo began on live markets and stays on them. Set another DATA_DIR for a simulated market.')
  const saved = isLive ? savedSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
  const fixedMarkets = engineEnv.ENGINE_MARKETS ?? saved?.markets
  const { reachable, reasons } = await probeVenues(engineEnv, fixedMarkets)
  const markets = fixedMarkets ?? chooseMarkets(reachable)
  const names = venues.filter(({ venue }) => reachable.has(venue) && hasVenue(markets, venue)).map(({ name }) => name)
  if (names.length === 0) {
    print(`No exchange can be reached (${reasons.join('; ')})`)
    if (!isLive) {
      print('The demo runs on a simulated market instead')
      return simulated
    }
    print('The demo goes on when an exchange can be reached again; until then no alerts arrive')
  } else print(`The demo watches live markets of ${names.join(', ')}`)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify({ markets }), { flush: true })
  const liveEnv = { ENGINE_HISTORY_DAYS: LIVE_HISTORY_DAYS, ENGINE_SHORT_HORIZON_SECONDS: '300' }
  return { kind: 'live', engineEnv: { ...engineEnv, ...liveEnv, ENGINE_MARKETS: markets } }
}

/**
 * Chooses four assets of the first exchange, and bitcoin of a second one, so that the engine can
 * compare the prices of two exchanges.
 */
function chooseMarkets(reachable: ReadonlySet<string>): string {
  const [firstVenue, ...others] = venues.filter(({ venue }) => reachable.has(venue))
  const secondVenue = others.find(({ quote }) => quote === 'USD')
  const mainMarkets = firstVenue ? bases.map((base) => `${firstVenue.venue}:${base}/${firstVenue.quote}`) : []
  return [...mainMarkets, ...(secondVenue ? [`${secondVenue.venue}:BTC/USD`] : [])].join(',')
}

function hasVenue(markets: string, venue: string): boolean {
  return markets.includes(`${venue}:`)
}

/** Tests whether the exchanges of these markets (by default all exchanges) are reachable. */
async function probeVenues(engineEnv: Record<string, string>, markets: string | undefined) {
  const candidates = venues.filter(({ venue }) => markets === undefined || hasVenue(markets, venue))
  const reachable = new Set<string>()
  const reasons: string[] = []
  await Promise.all(
    candidates.map(async ({ venue, name, probe }) => {
      const problem = await findProblem(replaceOrigin(probe, engineEnv[`ENGINE_${venue.toUpperCase()}_URL`]))
      if (problem === null) reachable.add(venue)
      else reasons.push(`${name}: ${problem}`)
    }),
  )
  return { reachable, reasons: reasons.sort() }
}

function replaceOrigin(probe: string, url: string | undefined): string {
  return url === undefined ? probe : new URL(new URL(probe).pathname, url.replace(/^ws/, 'http')).href
}

async function findProblem(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    await response.body?.cancel()
    return response.ok ? null : `it returned ${response.status}`
  } catch (error) {
    if (!(error instanceof Error)) return 'unknown'
    if (error.name === 'TimeoutError') return 'no response'
    if (!(error.cause instanceof Error)) return error.message
    return 'code' in error.cause ? String(error.cause.code) : error.cause.message
  }
}
