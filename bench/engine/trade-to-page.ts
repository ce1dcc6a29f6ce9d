import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { killOnExit } from '@tocsin/testkit'
import { createParts } from '../../apps/engine/src/parts.ts'
import { createRunner } from '../../apps/engine/src/runner.ts'
import { openEventStore } from '../../apps/engine/src/store/event-store.ts'
import { openOutbox } from '../../apps/engine/src/store/outbox.ts'
import { type Exchange, startExchange } from '../../apps/engine/test/exchange.ts'
import { getFrame } from '../../apps/engine/test/wire.ts'
import { startNewProduct } from '../../e2e/product.ts'
import { describeMachine } from '../../scripts/describe-machine.ts'
import { launchChromium } from '../launch-chromium.ts'
import { computePercentile } from '../percentile.ts'
import { becomeSubscriber } from '../subscriber.ts'

/*
 * Measures the time from the trade that completes an anomaly to the alert on a subscriber's page,
 * and from the end of a horizon to the outcome in the subscriber's list. A local server replaces
 * the exchange. Engine, product, database, chain and browser are real processes.
 * Usage, after `npm run build`: node --import tsx bench/engine/trade-to-page.ts [markets = 60]
 */
const MARKETS = Number(process.argv[2] ?? 60)
/** Minutes of history in the engine's state, which is more than its warm-up. */
const HISTORY_MINUTES = 2 * 1_440
/**
 * Minutes to wait before the first anomaly: the first minutes are incomplete, and the shortest
 * window needs two complete ones.
 */
const WARM_UP_MINUTES = 4
const TRADE_MS = 3_000
const ANOMALY_INTERVAL_MS = 1_500
const HORIZON_SECONDS = 300
/** Time between two requests for the list, which has a rate limit. */
const POLL_MS = 1_000
const FEED_KEY = 'bench'
const JUMP_FACTOR = 1.04

/** One market of the simulated exchange. */
interface TradedMarket {
  name: string
  symbol: string
  number: number
  price: number
}

const tradedMarkets = Array.from({ length: MARKETS }, (_, i): TradedMarket => {
  const base = `M${String(i).padStart(3, '0')}`
  return { name: `${base}/USDT`, symbol: `${base}USDT`, number: 0, price: 100 }
})

const browser = await launchChromium()
const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-bench-engine-'))
const exchange = await startExchange('binance')
writeState()
const engine = startEngineProcess()
const endEngine = killOnExit(engine, 'SIGTERM')
const product = await startNewProduct({ FEED_URL: await readEngineUrl(engine), FEED_API_KEY: FEED_KEY })
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await becomeSubscriber(page, product)
  await recordShownMarkets(page)
  const tradeTimer = setInterval(() => tradeAllMarkets(exchange), TRADE_MS)
  const candleTimer = setInterval(() => addCandle(exchange), 1_000)
  await wait(WARM_UP_MINUTES * MINUTE_MS)
  const sentAt = await jumpMarketsInTurn(exchange)
  printPercentiles('trade to page', 'ms', await readLatencies(page, sentAt))
  console.log(`markets that the page did not show: ${(await listUnshownMarkets(page, sentAt)).join(', ') || 'none'}`)
  printPercentiles('end of the horizon to the outcome in the list', 'ms', await readOutcomes(page))
  clearInterval(tradeTimer)
  clearInterval(candleTimer)
} finally {
  await browser.close()
  await product.discard()
  await endEngine()
  await exchange.close()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Writes the state of an engine that has watched calm markets until this minute. */
function writeState(): void {
  const parts = createParts(HORIZON_SECONDS)
  const store = openEventStore(dataDir)
  const outbox = openOutbox(dataDir)
  const runner = createRunner({ ...parts, store, outbox, nowMs: Date.now, onMessages() {}, log() {} })
  const historyEndMs = Date.now() - (Date.now() % MINUTE_MS)
  for (let minute = -HISTORY_MINUTES; minute < 0; minute++) {
    const at = historyEndMs + minute * MINUTE_MS
    for (const { name } of tradedMarkets) {
      const close = 100 * (1 + 4e-4 * (Math.random() - 0.5))
      const [high, low] = [Math.max(100, close), Math.min(100, close)]
      runner.ingest({ type: 'candle', venue: 'binance', market: name, at, open: 100, high, low, close, volume: 20 })
    }
    runner.ingest({ type: 'clock', at: at + MINUTE_MS })
  }
  runner.save()
  store.close()
  outbox.close()
}

function startEngineProcess(): ChildProcess {
  return spawn(process.execPath, ['apps/engine/dist/main.js'], {
    env: {
      PATH: process.env.PATH,
      ENGINE_PORT: '0',
      ENGINE_KEY: FEED_KEY,
      ENGINE_DATA: dataDir,
      ENGINE_MARKETS: tradedMarkets.map(({ name }) => `binance:${name}`).join(),
      ENGINE_BINANCE_URL: exchange.url,
      ENGINE_SHORT_HORIZON_SECONDS: String(HORIZON_SECONDS),
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function readEngineUrl({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    stdout?.on('data', (chunk: Buffer) => {
      const url = /ws:\/\/\S+/.exec(chunk.toString())?.[0]
      if (url) resolve(url)
    })
  })
}

function sendTrade(targetExchange: Exchange, market: TradedMarket, price: number): void {
  market.number += 1
  const trade = { number: market.number, at: Date.now(), price: price.toFixed(4), amount: '1' }
  targetExchange.send(getFrame('binance', trade, market.symbol))
}

function tradeAllMarkets(targetExchange: Exchange): void {
  for (const market of tradedMarkets)
    sendTrade(targetExchange, market, market.price * (1 + 4e-4 * (Math.random() - 0.5)))
}

/**
 * Adds the candle of the current minute if it is missing. All markets share the same candles, which
 * suffices to decide their predictions.
 */
function addCandle({ candles }: Exchange): void {
  const at = Math.floor(Date.now() / MINUTE_MS) * 60
  if (candles.at(-1)?.[0] !== at) candles.push([at, '100', '101', '99', '100', '20'])
}

/**
 * Moves the price of each market, one after the other.
 * @returns for each market, the time of the trade that completes the anomaly
 */
async function jumpMarketsInTurn(targetExchange: Exchange): Promise<Map<string, number>> {
  const sentAt = new Map<string, number>()
  for (const market of tradedMarkets) {
    await wait(ANOMALY_INTERVAL_MS)
    market.price *= JUMP_FACTOR
    // The engine reports a move only after three trades.
    for (let i = 0; i < 3; i++) sendTrade(targetExchange, market, market.price)
    sentAt.set(market.name, Date.now())
  }
  await wait(10_000)
  return sentAt
}

/** Records when each market first appears on the page. */
async function recordShownMarkets(page: Page): Promise<void> {
  await page.evaluate(() => {
    const shownAt: Record<string, number> = {}
    Object.assign(window, { marketsShownAt: shownAt })
    new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        for (const [name] of (node.textContent ?? '').matchAll(/M\d{3}\/USDT/g)) shownAt[name] ??= Date.now()
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
}

async function readLatencies(page: Page, sentAt: Map<string, number>): Promise<number[]> {
  const shownAt = (await page.evaluate('window.marketsShownAt')) as Record<string, number>
  return [...sentAt].flatMap(([name, at]) => {
    const shownMs = shownAt[name]
    return shownMs === undefined ? [] : [shownMs - at]
  })
}

/**
 * Returns the markets that the page never showed, and states whether the list of alerts has them.
 */
async function listUnshownMarkets(page: Page, sentAt: Map<string, number>): Promise<string[]> {
  const shownAt = (await page.evaluate('window.marketsShownAt')) as Record<string, number>
  const listedAssets = new Set((await readNewest(page)).map(({ asset }) => asset))
  const unshownMarkets = [...sentAt.keys()].filter((name) => shownAt[name] === undefined)
  return unshownMarkets.map((name) => (listedAssets.has(name) ? `${name} (in the list)` : name))
}

interface ListedAlert {
  id: string
  asset: string
  prediction?: { startsAt: string; horizonSeconds: number }
  outcome?: unknown
}

async function readNewest(page: Page): Promise<ListedAlert[]> {
  return (await page.evaluate(async () => {
    const response = await fetch('/api/alerts/recent?limit=100')
    if (!response.ok) throw new Error(`The list of alerts returned ${response.status}`)
    return response.json()
  })) as ListedAlert[]
}

/**
 * Requests the newest alerts until every short prediction has an outcome. Returns the times from
 * the end of each horizon until its outcome is listed, in ms.
 */
async function readOutcomes(page: Page): Promise<number[]> {
  const names = new Set(tradedMarkets.map(({ name }) => name))
  const delays = new Map<string, number>()
  for (;;) {
    const items = await readNewest(page)
    const shortAlerts = items.filter(
      ({ asset, prediction }) => names.has(asset) && prediction?.horizonSeconds === HORIZON_SECONDS,
    )
    for (const { id, prediction, outcome } of shortAlerts) {
      const end = Date.parse(prediction?.startsAt ?? '') + HORIZON_SECONDS * 1_000
      if (outcome && !delays.has(id)) delays.set(id, Date.now() - end)
    }
    if (shortAlerts.length > 0 && shortAlerts.every(({ id }) => delays.has(id))) return [...delays.values()]
    await wait(POLL_MS)
  }
}

function printPercentiles(figureName: string, unit: string, values: number[]): void {
  const getPercentile = (share: number) => computePercentile(values, share)
  console.log(`${describeMachine()}, ${values.length} values`)
  console.log(
    `${figureName}, ${unit}: median ${getPercentile(0.5)}  p99 ${getPercentile(0.99)}  max ${getPercentile(1)}`,
  )
}
