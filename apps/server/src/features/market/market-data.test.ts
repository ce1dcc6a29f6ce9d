import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LivePrices } from '@tocsin/protocol'
import { fakeClock, testConfig } from '@tocsin/testkit'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { fakeScheduler } from '../../../test/support/live-test-bed.ts'
import { startMarketData } from './market-data.ts'

const key = 'key-of-the-source'

/** Creates a scripted source of market data and the server's connection to it. */
async function createTestSource() {
  const clock = fakeClock()
  const timers = fakeScheduler(clock)
  const sockets = new Set<WebSocket>()
  let connections = 0
  let isDown = false
  const server = createServer()
  const upgrades = new WebSocketServer({
    server,
    verifyClient: ({ req }: { req: IncomingMessage }) => !isDown && req.headers.authorization === `Bearer ${key}`,
  })
  upgrades.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => void sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ticks`
  const start = (change: { url?: string; key?: string | null } | null = {}) => {
    const marketData = change && { url, key, ...change }
    const ctx = { config: testConfig({ marketData }), clock, logger: pino({ level: 'silent' }) }
    const market = startMarketData(ctx, timers)
    const updates: LivePrices[] = []
    market.watch((livePrices) => updates.push(livePrices))
    onTestFinished(market.stop)
    return { market, updates }
  }
  onTestFinished(async () => {
    for (const socket of upgrades.clients) socket.terminate()
    await new Promise((resolve) => server.close(resolve))
  })
  let number = 0
  const tick = (change: object = {}) =>
    JSON.stringify({
      ...{ type: 'tick', venue: 'binance', market: 'BTC/USDT', number: ++number, at: clock.now().getTime() },
      ...{ price: '61204.11', amount: '0.015', takerSide: 'buy', ...change },
    })
  return {
    ...{ start, tick, clock, timers },
    connections: () => connections,
    send(...texts: (string | Buffer)[]) {
      for (const socket of sockets) for (const text of texts) socket.send(text)
    },
    drop() {
      for (const socket of sockets) socket.terminate()
    },
    setDown(down: boolean) {
      isDown = down
    },
    reconnected: (count: number) =>
      expect
        .poll(() => {
          timers.advance(1_000)
          return connections
        })
        .toBeGreaterThanOrEqual(count),
  }
}

const listPrices = (market: { prices(): LivePrices }) => market.prices().prices.map(({ price }) => price)

test('market data: has no prices and reports no problem when no source is configured', async () => {
  const { start, timers } = await createTestSource()
  const { market, updates } = start(null)
  timers.advance(60_000)
  expect(market.prices().prices).toEqual([])
  expect(market.problem()).toBeNull()
  expect(updates).toEqual([])
})

test.each([
  ['it refuses the key', { key: 'wrong' }, /401/],
  ['it is down', { url: 'ws://127.0.0.1:9' }, /ECONNREFUSED/],
])('market data: names the problem with a source when %s', async (_, change, problem) => {
  const { start } = await createTestSource()
  const { market } = start(change)
  await expect.poll(market.problem).toMatch(problem)
  expect(market.prices().prices).toEqual([])
})

test('market data: sends each market at most once a second, regardless of the number of trades', async () => {
  const bed = await createTestSource()
  const { market, updates } = bed.start()
  await expect.poll(bed.connections).toBe(1)
  const texts = Array.from({ length: 100_000 }, (_, index) =>
    bed.tick({ market: index % 2 ? 'ETH/USDT' : 'BTC/USDT', price: String(index + 1) }),
  )
  bed.send(...texts)
  await expect.poll(() => listPrices(market)).toEqual(['99999', '100000'])
  expect(updates).toEqual([])
  bed.timers.advance(1_000)
  expect(updates.map(({ prices: changed }) => changed.map(({ price }) => price))).toEqual([['99999', '100000']])
  bed.timers.advance(5_000)
  expect(updates).toHaveLength(1)
  expect(market.problem()).toBeNull()
})

test.each<[string, (bed: Awaited<ReturnType<typeof createTestSource>>) => (string | Buffer)[]]>([
  ['no JSON', () => ['{"type":"tick"', 'null', '[]', '']],
  ['binary frames', () => [Buffer.from('{}')]],
  ['invalid prices', ({ tick }) => ['0', '-1', 'NaN', '1e308', 'x'.repeat(10_000)].map((price) => tick({ price }))],
  ['numbers instead of text', ({ tick }) => [tick({ price: 1 }), tick({ amount: 1 })]],
  ['times in the future', ({ tick, clock }) => [tick({ at: clock.now().getTime() + 60_001 }), tick({ at: 1e300 })]],
  ['untrusted text', ({ tick }) => [tick({ market: 'BTC\u202e' }), tick({ venue: '<b>' }), tick({ html: '<b>' })]],
])('market data: ignores %s and continues', async (_, garbage) => {
  const bed = await createTestSource()
  const { market } = bed.start()
  await expect.poll(bed.connections).toBe(1)
  bed.send(...garbage(bed), bed.tick({ price: '5' }))
  await expect.poll(() => listPrices(market)).toEqual(['5'])
  expect(bed.connections()).toBe(1)
})

test('market data: connects again after a frame of 10 MB, and keeps the last price', async () => {
  const bed = await createTestSource()
  const { market } = bed.start()
  await expect.poll(bed.connections).toBe(1)
  bed.send(bed.tick({ price: '5' }))
  await expect.poll(() => listPrices(market)).toEqual(['5'])
  bed.send('x'.repeat(10 * 1024 * 1024))
  await expect.poll(market.problem).toMatch(/payload/i)
  await bed.reconnected(2)
  expect(listPrices(market)).toEqual(['5'])
  bed.send(bed.tick({ price: '6' }))
  await expect.poll(() => listPrices(market)).toEqual(['6'])
  expect(market.problem()).toBeNull()
})

test('market data: connects again when the source restarts, even if its trade numbers restart', async () => {
  const bed = await createTestSource()
  const { market } = bed.start()
  await expect.poll(bed.connections).toBe(1)
  bed.send(bed.tick({ price: '5', number: 1_000 }))
  await expect.poll(() => listPrices(market)).toEqual(['5'])
  bed.setDown(true)
  bed.drop()
  await expect.poll(market.problem).toBe('The source closed the connection')
  bed.timers.advance(1_000)
  await expect.poll(market.problem).toMatch(/401/)
  bed.setDown(false)
  await bed.reconnected(2)
  bed.send(bed.tick({ price: '6', number: 1 }))
  await expect.poll(() => listPrices(market)).toEqual(['6'])
})

test('market data: replaces a connection that sends nothing, and keeps one whose market is quiet', async () => {
  const bed = await createTestSource()
  const { market } = bed.start()
  await expect.poll(bed.connections).toBe(1)
  for (let seconds = 0; seconds < 120; seconds += 20) {
    bed.send(JSON.stringify({ type: 'clock', at: bed.clock.now().getTime() }), bed.tick({ price: String(seconds + 1) }))
    await expect.poll(() => listPrices(market)).toEqual([String(seconds + 1)])
    bed.timers.advance(20_000)
  }
  expect(bed.connections()).toBe(1)
  bed.timers.advance(35_000)
  await expect.poll(market.problem).toBe('The source is silent')
  await bed.reconnected(2)
})

test('market data: can be stopped while the source is silent, and does not connect again', async () => {
  const bed = await createTestSource()
  const { market } = bed.start()
  await expect.poll(bed.connections).toBe(1)
  await market.stop()
  bed.timers.advance(60_000)
  expect(bed.connections()).toBe(1)
})
