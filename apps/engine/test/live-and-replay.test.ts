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
import { connectProduct } from './product.ts'
import { startAt, type TestTrade } from './wire.ts'

const KEY = 'secret'
const subscribed = '{"result":null,"id":1}'
const SHORT_HORIZON_SECONDS = 300
const TRADES_A_MINUTE = 4
/** Number of minutes before the first trade. A market needs a day before it raises alerts. */
const WARM_UP_MINUTES = 1_700
const MINUTES = 40
/** Minutes whose trades the exchange loses, with a move that a complete minute would report. */
const GAP = { from: 20, to: 22 }
/** Factors of the price, by the minute from which they apply. */
const moves = new Map([
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
  return Array.from({ length: MINUTES * TRADES_A_MINUTE }, (_, index) => {
    const minute = Math.floor(index / TRADES_A_MINUTE)
    if (index % TRADES_A_MINUTE === 1) price *= moves.get(minute) ?? 1
    price *= 1 + 4e-4 * (random() - 0.5)
    return {
      number: index + 1,
      at: first + (index * MINUTE_MS) / TRADES_A_MINUTE,
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
  const before = { positions: [], eventTime: first + aheadMs, inputs: 0, outcomes: [] }
  store.save(JSON.stringify({ engine: engine.snapshot(), model: parts.model, ...before }))
  store.close()
}

const trades = createTrades()
const inGap = (at: number) => at >= first + GAP.from * MINUTE_MS && at < first + GAP.to * MINUTE_MS

/** The candles that the exchange publishes. */
const candles = Array.from({ length: MINUTES }, (_, minute): TestCandle => {
  const own = trades.slice(minute * TRADES_A_MINUTE, (minute + 1) * TRADES_A_MINUTE).map(({ price }) => price)
  const sorted = [...own].sort((a, b) => Number(a) - Number(b))
  return [first / 1_000 + minute * 60, own[0] ?? '', sorted.at(-1) ?? '', sorted[0] ?? '', own.at(-1) ?? '', '4']
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-live-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function start(
  env: Record<string, string>,
  args: string[],
  time: ReturnType<typeof createManualTime>,
  { aheadMs = 0 } = {},
) {
  const folder = temporaryFolder()
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
  const clock = { nowMs: time.nowMs, setBackMs: () => 0 }
  const logger = pino({ level: 'silent' })
  return startEngine(settings, parts, { clock, schedule: time.schedule, logger })
}

/**
 * Sends each trade at its time, and waits until the engine has ingested it before the next one. The
 * exchange ends the connection before the trade `endsBefore` and publishes that trade over REST
 * only.
 */
async function tradeLive(
  exchange: Exchange,
  engine: EngineProcess,
  time: ReturnType<typeof createManualTime>,
  endsBefore: number | null,
) {
  const market = () => engine.status().sources[0]?.markets[0]
  for (const trade of trades) {
    time.advance(trade.at - time.nowMs())
    if (trade.number === endsBefore) {
      const before = exchange.received.length
      exchange.disconnect()
      exchange.record(trade)
      await expect.poll(() => exchange.received.length).toBe(before + 1)
      exchange.send(subscribed)
      await expect.poll(() => market()?.newestTradeNumber).toBe(trade.number)
      continue
    }
    if (inGap(trade.at)) {
      // This message keeps the connection open.
      exchange.send(subscribed)
      continue
    }
    exchange.trade(trade)
    // Trades behind the gap wait until the engine reports the gap as lost.
    const isTaken = () => market()?.newestTradeNumber === trade.number || (trade.number > 1 && market()?.isCatchingUp)
    while (!isTaken()) await turn()
    // Alerts are written in the next turn of the event loop, and must arrive before their
    // prediction starts.
    await turn()
    while (engine.status().messages.waiting > 0) await turn()
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Writes archive files with the same trades and candles. */
function writeRecording(): string {
  const folder = temporaryFolder()
  const rows = trades
    .filter(({ at }) => !inGap(at))
    .map(({ number, price, amount, at, takerSide }) =>
      [number, price, amount, '0', at, takerSide === 'sell' ? 'True' : 'False', 'True'].join(),
    )
  writeFileSync(join(folder, 'BTCUSDT-trades-2026-03.csv'), rows.join('\n'))
  const published = candles.map(([at, ...values]) => [at * 1_000, ...values, 0, 0, 0, 0, 0, 0].join())
  writeFileSync(join(folder, 'BTCUSDT-1m-2026-03.csv'), published.join('\n'))
  return folder
}

test.each<[string, number | null]>([
  ['the connection never ends', null],
  // The third trade beyond the limit, which follows trade 22, raises the alert.
  ['the exchange ends the connection in the middle of a spike', 23],
])('engine: a replay of the recorded trades sends the same bytes as the live engine when %s', async (_, ends) => {
  const exchange = await startExchange('binance')
  exchange.candles = candles
  const live = createManualTime()
  const markets = { ENGINE_MARKETS: 'binance:BTC/USDT' }
  const engine = await start({ ...markets, ENGINE_BINANCE_URL: exchange.url }, [], live)
  const product = connectProduct(() => engine.url, KEY)
  onTestFinished(async () => {
    product.close()
    await engine.close()
    await exchange.close()
  })
  await expect.poll(() => exchange.received.length).toBe(1)
  exchange.send(subscribed)
  await tradeLive(exchange, engine, live, ends)
  const replay = await start({ ...markets, ENGINE_REPLAY: writeRecording() }, ['--speed', 'max'], createManualTime())
  await replay.finished
  const reader = connectProduct(() => replay.url, KEY)
  onTestFinished(async () => {
    reader.close()
    await replay.close()
  })
  // Count each message once, because a product that connects again receives all messages again.
  const getTexts = ({ texts }: typeof product) => [...new Set(texts)]
  await expect.poll(() => getTexts(reader).length).toBe(replay.status().messages.kept)
  await expect.poll(() => getTexts(product).length).toBe(engine.status().messages.kept)
  expect(getTexts(product)).toEqual(getTexts(reader))
  // The jump of the complete minute has predictions of one hour and of five minutes.
  const isPrice = ({ id }: { id: string }) => id.startsWith('price')
  expect(reader.signals().filter(isPrice)).toMatchObject(
    Array.from({ length: 2 }, () => ({ observedAt: new Date(first + 5.75 * MINUTE_MS).toISOString() })),
  )
  expect(reader.outcomes().length).toBeGreaterThan(1)
})

test('engine: raises alerts at once after a restart when its clock was three hours ahead before', async () => {
  const exchange = await startExchange('binance')
  exchange.candles = candles
  const live = createManualTime()
  const markets = { ENGINE_MARKETS: 'binance:BTC/USDT', ENGINE_BINANCE_URL: exchange.url }
  const engine = await start(markets, [], live, { aheadMs: 180 * MINUTE_MS })
  const product = connectProduct(() => engine.url, KEY)
  onTestFinished(async () => {
    product.close()
    await engine.close()
    await exchange.close()
  })
  await expect.poll(() => exchange.received.length).toBe(1)
  exchange.send(subscribed)
  await tradeLive(exchange, engine, live, null)
  const at = first + 5.75 * MINUTE_MS
  await expect.poll(() => product.signals().map(({ id }) => id)).toContain(`price-up-binance-BTCUSDT-${at}`)
})
