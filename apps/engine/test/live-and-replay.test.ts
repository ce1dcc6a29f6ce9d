import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { type EngineProcess, startEngine } from '../src/engine-process.ts'
import { createParts } from '../src/parts.ts'
import { readSettings } from '../src/settings.ts'
import { openEventStore } from '../src/store/event-store.ts'
import { type Exchange, startExchange, type TestCandle } from './exchange.ts'
import { createManualTime } from './manual-time.ts'
import { connectFeedClient } from './product.ts'
import { startAt, type TestTrade } from './wire.ts'

const KEY = 'secret'
const subscribedFrame = '{"result":null,"id":1}'
const SHORT_HORIZON_SECONDS = 300
const TRADES_PER_MINUTE = 4
/** Number of minutes before the first trade. A market needs a day before it raises alerts. */
const WARM_UP_MINUTES = 1_700
const MINUTES = 40
/** Minutes whose trades are lost. They contain a jump that would otherwise raise an alert. */
const GAP = { from: 20, to: 22 }
/** Factors of the price, by the minute from which they apply. */
const priceFactors = new Map([
  [5, 1.03],
  [GAP.from, 1.06],
])
const first = Math.ceil(startAt / MINUTE_MS) * MINUTE_MS
const parts = createParts(SHORT_HORIZON_SECONDS)

function createRandom(): () => number {
  let state = 7
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Creates the trades of a calm market with two jumps. */
function createTrades(): Required<Pick<TestTrade, 'number' | 'at' | 'price' | 'amount' | 'takerSide'>>[] {
  const random = createRandom()
  let price = 100
  return Array.from({ length: MINUTES * TRADES_PER_MINUTE }, (_, index) => {
    const minute = Math.floor(index / TRADES_PER_MINUTE)
    if (index % TRADES_PER_MINUTE === 1) price *= priceFactors.get(minute) ?? 1
    price *= 1 + 4e-4 * (random() - 0.5)
    return {
      number: index + 1,
      at: first + (index * MINUTE_MS) / TRADES_PER_MINUTE,
      price: price.toFixed(4),
      amount: (0.5 + random()).toFixed(3),
      takerSide: random() < 0.5 ? 'buy' : 'sell',
    }
  })
}

/**
 * Writes the state of an engine that has watched a calm market until the first trade, and whose
 * clock was ahead at the end.
 */
function writeState(folder: string, aheadMs: number): void {
  const random = createRandom()
  const engine = parts.createEngine()
  let open = 100
  for (let minute = -WARM_UP_MINUTES; minute < 0; minute++) {
    const close = 100 * (1 + 4e-4 * (random() - 0.5))
    const [high, low, at] = [Math.max(open, close), Math.min(open, close), first + minute * MINUTE_MS]
    const volume = 3 + 2 * random()
    engine.step({ type: 'candle', venue: 'binance', market: 'BTC/USDT', at, open, high, low, close, volume })
    engine.step({ type: 'clock', at: at + MINUTE_MS })
    open = close
  }
  engine.step({ type: 'clock', at: first + aheadMs })
  const store = openEventStore(folder)
  const initialState = { positions: [], eventTime: first + aheadMs, inputs: 0, outcomes: [] }
  store.save(JSON.stringify({ engine: engine.snapshot(), model: parts.model, ...initialState }))
  store.close()
}

const trades = createTrades()
const isInGap = (at: number) => at >= first + GAP.from * MINUTE_MS && at < first + GAP.to * MINUTE_MS

/** The candles that the exchange publishes. */
const candles = Array.from({ length: MINUTES }, (_, minute): TestCandle => {
  const minutePrices = trades
    .slice(minute * TRADES_PER_MINUTE, (minute + 1) * TRADES_PER_MINUTE)
    .map(({ price }) => price)
  const sortedPrices = [...minutePrices].sort((a, b) => Number(a) - Number(b))
  return [
    first / 1_000 + minute * 60,
    minutePrices[0] ?? '',
    sortedPrices.at(-1) ?? '',
    sortedPrices[0] ?? '',
    minutePrices.at(-1) ?? '',
    '4',
  ]
})

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-live-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function start(
  env: Record<string, string>,
  args: string[],
  time: ReturnType<typeof createManualTime>,
  { aheadMs = 0, clockAheadMs = 0, onLog = (_line: string) => {} } = {},
) {
  const folder = createTemporaryFolder()
  writeState(folder, aheadMs)
  const settings = readSettings(
    {
      ENGINE_PORT: '0',
      ENGINE_KEY: KEY,
      ENGINE_DATA: folder,
      ENGINE_SHORT_HORIZON_SECONDS: String(SHORT_HORIZON_SECONDS),
      LOG_LEVEL: 'silent',
      ...env,
    },
    args,
  )
  const clock = { nowMs: () => time.nowMs() + clockAheadMs, elapsedMs: time.nowMs, setBackMs: () => 0 }
  const logger = pino({ level: 'warn' }, { write: onLog })
  return startEngine(settings, parts, { clock, schedule: time.schedule, logger })
}

/**
 * Sends each trade at its time, and waits until the engine has ingested it before the next one. The
 * exchange ends the connection before the trade `endsBefore` and publishes that trade over REST
 * only.
 */
async function sendTrades(
  exchange: Exchange,
  engine: EngineProcess,
  time: ReturnType<typeof createManualTime>,
  endsBefore: number | null,
) {
  const readMarket = () => engine.status().sources[0]?.markets[0]
  for (const trade of trades) {
    time.advance(trade.at - time.nowMs())
    if (trade.number === endsBefore) {
      const frameCountBefore = exchange.received.length
      exchange.disconnect()
      exchange.record(trade)
      await expect.poll(() => exchange.received.length).toBe(frameCountBefore + 1)
      exchange.send(subscribedFrame)
      await expect.poll(() => readMarket()?.newestTradeNumber).toBe(trade.number)
      continue
    }
    if (isInGap(trade.at)) {
      // This message keeps the connection open.
      exchange.send(subscribedFrame)
      continue
    }
    exchange.trade(trade)
    // Trades behind the gap wait until the engine reports the gap as lost.
    const isTradeProcessed = () =>
      readMarket()?.newestTradeNumber === trade.number || (trade.number > 1 && readMarket()?.isCatchingUp)
    while (!isTradeProcessed()) await yieldToEventLoop()
    // Alerts are written in the next turn of the event loop, and must arrive before their
    // prediction starts.
    await yieldToEventLoop()
    while (engine.status().messages.waiting > 0) await yieldToEventLoop()
  }
}

const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))

/** Writes archive files with the exchange's trades, except those in the gap, and its candles. */
function writeRecording(): string {
  const folder = createTemporaryFolder()
  const rows = trades
    .filter(({ at }) => !isInGap(at))
    .map(({ number, price, amount, at, takerSide }) =>
      [number, price, amount, '0', at, takerSide === 'sell' ? 'True' : 'False', 'True'].join(),
    )
  writeFileSync(join(folder, 'BTCUSDT-trades-2026-03.csv'), rows.join('\n'))
  const candleLines = candles.map(([at, ...values]) => [at * 1_000, ...values, 0, 0, 0, 0, 0, 0].join())
  writeFileSync(join(folder, 'BTCUSDT-1m-2026-03.csv'), candleLines.join('\n'))
  return folder
}

test.each<[string, number | null]>([
  ['the connection never ends', null],
  // The price jumps at trade 22. Trade 24, the third beyond the threshold, raises the alert.
  ['the exchange ends the connection in the middle of a spike', 23],
])('engine: a replay of the recorded trades sends the same bytes as the live engine when %s', async (_, endsBefore) => {
  const exchange = await startExchange('binance')
  exchange.candles = candles
  const liveTime = createManualTime()
  const markets = { ENGINE_MARKETS: 'binance:BTC/USDT' }
  const engine = await start({ ...markets, ENGINE_BINANCE_URL: exchange.url }, [], liveTime)
  const feedClient = connectFeedClient(() => engine.url, KEY)
  onTestFinished(async () => {
    feedClient.close()
    await engine.close()
    await exchange.close()
  })
  await expect.poll(() => exchange.received.length).toBe(1)
  exchange.send(subscribedFrame)
  await sendTrades(exchange, engine, liveTime, endsBefore)
  const replayEngine = await start(
    { ...markets, ENGINE_REPLAY: writeRecording() },
    ['--speed', 'max'],
    createManualTime(),
  )
  await replayEngine.finished
  const reader = connectFeedClient(() => replayEngine.url, KEY)
  onTestFinished(async () => {
    reader.close()
    await replayEngine.close()
  })
  // Count each message once, because a product that connects again receives all messages again.
  const getTexts = ({ texts }: typeof feedClient) => [...new Set(texts)]
  await expect.poll(() => getTexts(reader).length).toBe(replayEngine.status().messages.kept)
  await expect.poll(() => getTexts(feedClient).length).toBe(engine.status().messages.kept)
  expect(getTexts(feedClient)).toEqual(getTexts(reader))
  // Only the jump outside the gap raises alerts: one with a prediction of one hour, and one with a
  // prediction of five minutes.
  const isPriceAlert = ({ id }: { id: string }) => id.startsWith('price')
  expect(reader.signals().filter(isPriceAlert)).toMatchObject(
    Array.from({ length: 2 }, () => ({ observedAt: new Date(first + 5.75 * MINUTE_MS).toISOString() })),
  )
  expect(reader.outcomes().length).toBeGreaterThan(1)
})

test.each<[string, { aheadMs?: number; clockAheadMs?: number }]>([
  ['immediately after a restart when the saved event time is three hours ahead', { aheadMs: 180 * MINUTE_MS }],
  ['for real moves only, and warns, when this machine’s clock is two minutes ahead', { clockAheadMs: 2 * MINUTE_MS }],
])('engine: raises alerts %s', async (_, options) => {
  const exchange = await startExchange('binance')
  exchange.candles = candles
  const liveTime = createManualTime()
  const markets = { ENGINE_MARKETS: 'binance:BTC/USDT', ENGINE_BINANCE_URL: exchange.url }
  const logged: string[] = []
  const engine = await start(markets, [], liveTime, { ...options, onLog: (line) => void logged.push(line) })
  const feedClient = connectFeedClient(() => engine.url, KEY)
  onTestFinished(async () => {
    feedClient.close()
    await engine.close()
    await exchange.close()
  })
  await expect.poll(() => exchange.received.length).toBe(1)
  exchange.send(subscribedFrame)
  await sendTrades(exchange, engine, liveTime, null)
  const spikeMs = first + 5.75 * MINUTE_MS
  const listIds = () => feedClient.signals().map(({ id }) => id)
  await expect.poll(listIds).toContain(`price-up-binance-BTCUSDT-${spikeMs}`)
  expect(listIds().filter((id) => id.startsWith('quiet'))).toEqual([])
  const warning = 'the trades of all markets seem late; the clock of this machine may be ahead'
  expect(logged.some((line) => line.includes(warning))).toBe('clockAheadMs' in options)
})
