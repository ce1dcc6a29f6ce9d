import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startEngine } from '../src/engine-process.ts'
import { createMonotonicClock } from '../src/monotonic-clock.ts'
import { createParts } from '../src/parts.ts'
import { systemScheduler } from '../src/scheduler.ts'
import { readSettings } from '../src/settings.ts'
import { startExchange, type TestCandle } from './exchange.ts'
import { connectFeedClient, getIds } from './product.ts'

const DAYS = 2
const MINUTES = DAYS * 1_440

/** Creates candles with calm closes, and a jump of 5 % four hours before the end. */
function createCandlesUntil(endMs: number): TestCandle[] {
  const end = endMs / 1_000 - ((endMs / 1_000) % 60)
  let state = 7
  let price = 60_000
  return Array.from({ length: MINUTES + 30 }, (_, index): TestCandle => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const open = price
    price *= 1 + 0.001 * (state / 2 ** 32 - 0.5) + (index === MINUTES - 210 ? 0.05 : 0)
    const [first, last] = [open.toFixed(2), price.toFixed(2)]
    const [low, high] = open < price ? [first, last] : [last, first]
    return [end - 60 * (MINUTES + 30 - index), first, high, low, last, (5 + (10 * state) / 2 ** 32).toFixed(5)]
  })
}

async function start(venueUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'engine-past-'))
  const env = {
    ...{ ENGINE_PORT: '0', ENGINE_DATA: folder, ENGINE_MARKETS: 'okx:BTC/USDT', ENGINE_OKX_URL: venueUrl },
    ENGINE_HISTORY_DAYS: String(DAYS),
  }
  const [settings, logger] = [readSettings(env, []), pino({ level: 'silent' })]
  // This scheduler skips all delays, such as the pauses between requests of candle pages.
  const schedule = { ...systemScheduler, after: (_ms: number, run: () => void) => systemScheduler.after(0, run) }
  const engine = await startEngine(settings, createParts(300), { clock: createMonotonicClock(), schedule, logger })
  const product = connectFeedClient(() => engine.url, '')
  onTestFinished(async () => {
    product.close()
    await engine.close()
    rmSync(folder, { recursive: true })
  })
  const lines = () =>
    readFileSync(join(folder, 'history.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  return { engine, product, folder, lines }
}

test('historical candles: warm up live markets, and produce past alerts with verdicts', async () => {
  const exchange = await startExchange('okx')
  onTestFinished(exchange.close)
  exchange.candles = createCandlesUntil(Date.now())
  const { product, folder, lines } = await start(exchange.url)
  const history = lines()
  expect(history.at(-1)).toEqual({ finished: true })
  const signals = history.filter(({ kind }) => kind === 'signal').map(({ text }) => JSON.parse(text))
  const price = signals.find(({ anomalyType }) => anomalyType === 'Price move')
  expect(price).toMatchObject({ asset: 'BTC/USDT', venue: 'okx', quote: 'USDT', prediction: { market: 'BTC-USDT' } })
  expect(history.some(({ kind, id }) => kind === 'outcome' && id === price.id)).toBe(true)
  expect(existsSync(join(folder, 'snapshot.json'))).toBe(true)
  // The feed also sends the recent alerts of the history, although a demo has already logged them.
  await expect.poll(() => getIds(product.signals())).toContain(price.id)
})

test('historical candles: are skipped when the exchange responds with status 503', async () => {
  const exchange = await startExchange('okx')
  onTestFinished(exchange.close)
  exchange.rest = { status: 503 }
  const { lines, engine } = await start(exchange.url)
  expect(lines()).toEqual([{ finished: true }])
  expect(engine.status()).toMatchObject({ mode: 'live' })
})
