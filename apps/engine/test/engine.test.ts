import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineStatus } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startEngine } from '../src/engine-process.ts'
import { createMonotonicClock } from '../src/monotonic-clock.ts'
import { systemScheduler } from '../src/scheduler.ts'
import { readSettings } from '../src/settings.ts'
import { createChild } from './child.ts'
import { startExchange } from './exchange.ts'
import { fakeParts, model } from './fake-engine.ts'
import { connectFeedClient, getIds } from './product.ts'
import { spawnEngine } from './spawn-engine.ts'

const KEY = 'secret'
const first = Date.parse('2025-02-01T00:00:00Z')

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-process-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function startTestEngine(env: Record<string, string>, args: string[] = []) {
  const settings = readSettings({ ENGINE_PORT: '0', ENGINE_KEY: KEY, LOG_LEVEL: 'silent', ...env }, args)
  const logger = pino({ level: 'silent' })
  return startEngine(settings, fakeParts, { clock: createMonotonicClock(), schedule: systemScheduler, logger })
}

const subscribedFrame = '{"result":null,"id":1}'

test('engine: turns trades of an exchange into signals for the server', async () => {
  const exchange = await startExchange('binance')
  const engine = await startTestEngine({
    ENGINE_MARKETS: 'binance:BTC/USDT',
    ENGINE_BINANCE_URL: exchange.url,
    ENGINE_DATA: createTemporaryFolder(),
  })
  const feedClient = connectFeedClient(() => engine.url, KEY)
  const tickClient = connectFeedClient(() => `${engine.url}/ticks`, KEY)
  onTestFinished(async () => {
    feedClient.close()
    tickClient.close()
    await engine.close()
    await exchange.close()
  })
  await expect.poll(() => exchange.received.length).toBe(1)
  exchange.send(subscribedFrame)
  // The clock message of the feed shows that the connection is open.
  await expect.poll(() => tickClient.texts.length).toBeGreaterThan(0)
  const now = Date.now() - 1_000
  exchange.trade({ number: 8, at: now }, { number: 9, at: now + 1 })
  exchange.record({ number: 10, at: now + 2 }, { number: 11, at: now + 3 })
  exchange.trade({ number: 12, at: now + 4 })
  await expect.poll(feedClient.signals).toMatchObject([{ id: 'binance-BTC/USDT-10', asset: 'BTC/USDT', model }])
  const listTicks = () => tickClient.texts.map((text) => JSON.parse(text)).filter(({ type }) => type === 'tick')
  // Trades of a filled gap arrive in trade-number order.
  await expect.poll(() => listTicks().map(({ number }) => number)).toEqual([8, 9, 10, 11, 12])
  expect(engineStatus.parse(JSON.parse(feedClient.statuses[0] ?? ''))).toMatchObject({ mode: 'live', model })
  const response = await fetch(`${engine.url.replace('ws:', 'http:')}/status`, {
    headers: { authorization: `Bearer ${KEY}` },
  })
  expect(await response.json()).toMatchObject({
    mode: 'live',
    products: 1,
    alerts: { alerts: 1, leftOut: 0 },
    sources: [
      {
        venue: 'binance',
        state: 'connected',
        markets: [
          { market: 'binance:BTC/USDT', trades: 5, gapsFilled: 1, tradesFilled: 2, gapsLost: 0, newestTradeNumber: 12 },
        ],
      },
    ],
  })
})

test('engine: keeps running and reports the difference when the machine’s clock is set back', async () => {
  let wallMs = first + HOUR_MS
  const settings = readSettings(
    {
      ENGINE_PORT: '0',
      ENGINE_MARKETS: 'binance:BTC/USDT',
      ENGINE_BINANCE_URL: 'ws://127.0.0.1:9',
      ENGINE_DATA: createTemporaryFolder(),
    },
    [],
  )
  const clock = createMonotonicClock(
    () => wallMs,
    () => 0,
  )
  const logger = pino({ level: 'silent' })
  const engine = await startEngine(settings, fakeParts, { clock, schedule: systemScheduler, logger })
  onTestFinished(engine.close)
  wallMs -= HOUR_MS
  expect(engine.status()).toMatchObject({ clockSetBackMs: HOUR_MS, now: new Date(first + HOUR_MS).toISOString() })
})

test('engine: refuses to start when another engine uses its folder or its port', async () => {
  const [folder, recordings] = [createTemporaryFolder(), createRecordedFolder()]
  const engine = await startTestEngine({ ENGINE_REPLAY: recordings, ENGINE_DATA: folder })
  onTestFinished(engine.close)
  await expect(startTestEngine({ ENGINE_REPLAY: recordings, ENGINE_DATA: folder })).rejects.toThrow(/already running/)
  const takenPortSettings = {
    ENGINE_PORT: new URL(engine.url).port,
    ENGINE_REPLAY: recordings,
    ENGINE_DATA: createTemporaryFolder(),
  }
  await expect(startTestEngine(takenPortSettings)).rejects.toThrow(/EADDRINUSE/)
})

function createRecordedFolder(): string {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, 'okx'))
  const formatTrades = (venue: number) =>
    Array.from(
      { length: 1_200 },
      (_, index) => `${index + 1},17.8,5.69,101,${first + index * 500 + venue},True,True`,
    ).join('\n')
  const candles = Array.from({ length: 30 }, (_, index) => `${first + 60_000 * index},1,1,1,1,1,0,0,0,0,0,0`).join('\n')
  for (const [venue, at] of [
    ['', 0],
    ['okx', 7],
  ] as const) {
    writeFileSync(join(folder, venue, 'BTCUSDT-trades-2025-02-01.csv'), formatTrades(at))
    writeFileSync(join(folder, venue, 'BTCUSDT-1m-2025-02-01.csv'), candles)
  }
  return folder
}

test('engine: sends identical messages when a recording is replayed at two speeds', async () => {
  const folder = createRecordedFolder()
  const runs: string[][] = []
  for (const speed of ['max', '1000000']) {
    runs.push(await replayAll({ ENGINE_REPLAY: folder, ENGINE_DATA: createTemporaryFolder() }, speed))
  }
  expect(runs[0]?.filter((text) => text.includes('"outcome"')).length).toBeGreaterThan(40)
  expect(runs[1]).toEqual(runs[0])
})

/** Replays a recording to its end and returns all messages. */
async function replayAll(env: Record<string, string>, speed = 'max'): Promise<string[]> {
  const engine = await startTestEngine(env, ['--speed', speed])
  await engine.finished
  const feedClient = connectFeedClient(() => engine.url, KEY)
  await expect.poll(() => feedClient.texts.length).toBe(engine.status().messages.kept)
  feedClient.close()
  await engine.close()
  return feedClient.texts
}

test('engine: keeps all messages for the server when a replay spans several days', async () => {
  const folder = createTemporaryFolder()
  const trades = [10, 20, 30].map((number) => `${number},1,1,1,${first + number * 86_400_000},True,True`)
  writeFileSync(join(folder, 'BTCUSDT-trades-2025-02.csv'), trades.join('\n'))
  const texts = await replayAll({ ENGINE_REPLAY: folder, ENGINE_DATA: createTemporaryFolder() })
  expect(texts.map((text) => JSON.parse(text).id)).toEqual([10, 20, 30].map((number) => `binance-BTC/USDT-${number}`))
})

test('engine: sends the candles of each day with a prediction when a replay has passed that day', async () => {
  const folder = createTemporaryFolder()
  const hoursAfterStart = (hours: number) => first + hours * HOUR_MS
  const trades = [
    [10, hoursAfterStart(5)],
    [11, hoursAfterStart(30)],
    [20, hoursAfterStart(31)],
  ]
  writeFileSync(
    join(folder, 'BTCUSDT-trades-2025-02.csv'),
    trades.map(([id, ms]) => `${id},1,1,1,${ms},True,True`).join('\n'),
  )
  const candles = Array.from({ length: 1_440 }, (_, minute) => `${first + 60_000 * minute},1,1,1,1,1,0,0,0,0,0,0`)
  writeFileSync(join(folder, 'BTCUSDT-1m-2025-02-01.csv'), candles.join('\n'))
  const texts = await replayAll({ ENGINE_REPLAY: folder, ENGINE_DATA: createTemporaryFolder() })
  const messages = texts.map((text) => JSON.parse(text))
  expect(messages.map(({ type, id }) => type ?? id)).toEqual([
    'binance-BTC/USDT-10',
    'outcome',
    ...Array.from({ length: 6 }, () => 'candles'),
    'binance-BTC/USDT-20',
  ])
  const days = messages.filter(({ type }) => type === 'candles')
  expect(days.every(({ venue, market, day }) => `${venue} ${market} ${day}` === 'binance BTCUSDT 2025-02-01')).toBe(
    true,
  )
  const times = days.flatMap((message) => message.candles.map(([openTime]: [number]) => openTime))
  expect(times).toEqual(candles.map((_, minute) => first / 1_000 + 60 * minute))
})

test('engine: sends the same messages when a replay is stopped and resumed', async () => {
  const folder = createRecordedFolder()
  const expected = await replayAll({ ENGINE_REPLAY: folder, ENGINE_DATA: createTemporaryFolder() })
  const env = { ENGINE_REPLAY: folder, ENGINE_DATA: createTemporaryFolder() }
  for (const share of [0.2, 0.5]) {
    const engine = await startTestEngine(env, ['--speed', '20000'])
    await expect.poll(() => engine.status().messages.kept).toBeGreaterThan(share * expected.length)
    await engine.close()
  }
  expect(await replayAll(env)).toEqual(expected)
})

test('engine: creates each signal and each prediction’s outcome exactly once when it is killed repeatedly', async () => {
  const exchange = await startExchange('binance')
  // The test advances the clock by about 26 minutes. This period must not include midnight UTC,
  // because the engine would then also send the candles of the day.
  const at = first + 12 * HOUR_MS
  const child = createChild('stand-in', at, {
    ENGINE_DATA: createTemporaryFolder(),
    ENGINE_MARKETS: 'binance:BTC/USDT',
    ENGINE_BINANCE_URL: exchange.url,
  })
  onTestFinished(exchange.close)
  const { product } = child
  exchange.candles = Array.from({ length: 60 }, (_, minute) => [
    at / 1_000 - 600 + 60 * minute,
    '1',
    '1',
    '1',
    '1',
    '1',
  ])
  let number = 0
  let nowMs = at
  const next = (count: number) => Array.from({ length: count }, () => ({ number: ++number, at: nowMs + number }))
  const start = async () => {
    const connections = exchange.received.length
    child.start()
    await expect.poll(() => exchange.received.length).toBeGreaterThan(connections)
    exchange.send(subscribedFrame)
  }
  const advanceClock = (ms: number) => {
    nowMs += ms
    child.setClock(nowMs)
  }
  /**
   * Returns the ids of the outcomes for a poll. Advances the clock, because the engine repeats a
   * failed request for candles five seconds later by this clock.
   */
  const pollOutcomes = () => {
    advanceClock(100)
    return getIds(product.outcomes())
  }
  for (let round = 1; round <= 4; round++) {
    await start()
    exchange.trade(...next(37))
    // Each round kills the process after one to three new signals. It kills the process again after
    // the clock has advanced, in the last two rounds after a new outcome.
    const [signalCount, outcomeCount] = [getIds(product.signals()).length, getIds(product.outcomes()).length]
    await expect.poll(() => getIds(product.signals()).length).toBeGreaterThan(signalCount + (round % 3))
    await child.kill()
    await start()
    // The engine removes the prediction of a signal that it creates after the clock has advanced.
    await expect.poll(() => getIds(product.signals()).length).toBe(Math.floor(number / 10))
    advanceClock(240_000)
    if (round > 2) await expect.poll(() => pollOutcomes().length).toBeGreaterThan(outcomeCount)
    await child.kill()
    exchange.record(...next(18))
  }
  await start()
  exchange.trade(...next(1))
  const expected = Array.from({ length: Math.floor(number / 10) }, (_, index) => `binance-BTC/USDT-${10 * (index + 1)}`)
  await expect.poll(() => getIds(product.signals())).toEqual(expected)
  advanceClock(600_000)
  await expect.poll(() => pollOutcomes().sort()).toEqual([...expected].sort())
  // A message that is sent again has the same text, so the product recognises it.
  expect(new Set(product.texts).size).toBe(2 * expected.length)
})

test('engine: saves its state and exits with code 0 on SIGTERM', async () => {
  const data = createTemporaryFolder()
  const child = spawnEngine({
    ENGINE_REPLAY: createRecordedFolder(),
    ENGINE_DATA: data,
    ENGINE_PORT: '0',
    TEST_ENGINE: 'stand-in',
    LOG_LEVEL: 'silent',
  })
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  expect(readdirSync(data).filter((name) => !name.startsWith('journal'))).toEqual([
    `model-settings-${'0'.repeat(12)}.json`,
    'outbox.jsonl',
    'snapshot.json',
  ])
})

test('engine: lists every wrong setting and ends with code 78 when it is misconfigured', async () => {
  const child = spawnEngine({ ENGINE_PORT: 'x', ENGINE_MARKETS: 'nowhere:BTC/USD' })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(78)
  expect(output.split('\n').map((line) => line.trim().split(' ')[1])).toEqual([
    'settings',
    'ENGINE_PORT',
    'ENGINE_MARKETS',
    undefined,
  ])
})
