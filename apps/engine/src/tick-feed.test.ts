import type { Tick } from '@tocsin/engine'
import { marketMessage } from '@tocsin/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createManualTime } from '../test/manual-time.ts'
import { startSignalFeed } from './signal-feed.ts'
import { openOutbox } from './store/outbox.ts'
import { createTickFeed, MAX_TICK_READERS } from './tick-feed.ts'

const createTick = (number: number, change: Partial<Tick> = {}): Tick => ({
  ...{ type: 'tick', venue: 'binance', market: 'BTC/USDT', number, count: 1, at: 1_772_461_860_000 + number },
  ...{ price: 61_204.11, amount: 0.015, takerSide: 'buy', ...change },
})

async function createTestBed() {
  const time = createManualTime()
  const ticks = createTickFeed(time)
  const feed = await startSignalFeed({
    ...{ host: '127.0.0.1', port: 0, key: 'secret', outbox: openOutbox(null), ticks, ...time },
    candles: { respond: async () => ({ status: 404, body: { error: 'None' } }) },
    ...{ messageTime: time.nowMs, status: () => ({}), statusMessage: () => ({ type: 'status' }) },
  })
  onTestFinished(feed.close)
  const connect = (path = '/ticks', headers: Record<string, string> = { authorization: 'Bearer secret' }) => {
    const ws = new WebSocket(`${feed.url}${path}`, { headers })
    const texts: string[] = []
    let ended: string | null = null
    ws.on('message', (data) => void texts.push(data.toString()))
    ws.on('error', (error) => {
      ended = error.message
    })
    ws.on('close', () => {
      ended ??= 'closed'
    })
    onTestFinished(() => ws.terminate())
    return { ws, messages: () => texts.map((text) => JSON.parse(text)), ended: () => ended }
  }
  return { ticks, time, connect }
}

test.each([
  ['the key is missing', {}],
  ['the key is wrong', { authorization: 'Bearer wrong' }],
  ['a web page connects', { authorization: 'Bearer secret', origin: 'https://example.com' }],
])('tick feed: rejects the handshake when %s', async (_, headers) => {
  const { connect, ticks } = await createTestBed()
  await expect.poll(connect('/ticks', headers).ended).toBe('Unexpected server response: 401')
  expect(ticks.readers()).toBe(0)
})

test('tick feed: rejects a ninth client, but the signal feed still accepts servers', async () => {
  const { connect, ticks } = await createTestBed()
  const [first] = Array.from({ length: MAX_TICK_READERS }, () => connect())
  await expect.poll(ticks.readers).toBe(MAX_TICK_READERS)
  await expect.poll(connect().ended).toBe('Unexpected server response: 503')
  const feedClient = connect('/')
  await expect.poll(feedClient.messages).toEqual([{ type: 'status' }])
  first?.ws.close()
  await expect.poll(ticks.readers).toBe(MAX_TICK_READERS - 1)
  const next = connect()
  await expect.poll(ticks.readers).toBe(MAX_TICK_READERS)
  expect(next.ended()).toBeNull()
})

test('tick feed: begins with the newest trade of each market and passes on later trades and gaps', async () => {
  const { connect, ticks, time } = await createTestBed()
  ticks.offer(createTick(1))
  ticks.offer(createTick(2, { price: 1e-7 }))
  ticks.offer(createTick(5, { market: 'ETH/USDT', count: 3 }))
  const { messages } = connect()
  await expect.poll(() => messages().length).toBe(2)
  ticks.offer(createTick(3))
  ticks.offer({ type: 'gap', venue: 'binance', market: 'BTC/USDT', from: 10, to: 20 })
  ticks.offer({ type: 'gap', venue: 'binance', market: 'BTC/USDT', from: 20, to: 30, restarted: true })
  ticks.offer(createTick(4, { price: 1e300 }))
  time.advance(1_000)
  await expect.poll(messages).toEqual([
    { ...createTick(2), price: '0.0000001', amount: '0.015' },
    { ...createTick(5, { market: 'ETH/USDT', count: 3 }), price: '61204.11', amount: '0.015' },
    { ...createTick(3), price: '61204.11', amount: '0.015' },
    { type: 'gap', venue: 'binance', market: 'BTC/USDT', from: 10, to: 20 },
    { type: 'gap', venue: 'binance', market: 'BTC/USDT', from: 20, to: 30, restarted: true },
    { type: 'clock', at: time.nowMs() },
  ])
  for (const message of messages()) expect(marketMessage.safeParse(message).error).toBeUndefined()
})

test('tick feed: disconnects a client that does not read, and no other client', async () => {
  const { connect, ticks } = await createTestBed()
  const [slowClient, fastClient] = [connect(), connect()]
  await expect.poll(ticks.readers).toBe(2)
  slowClient.ws.pause()
  let sentCount = 0
  // Send many trades, because the kernel buffers megabytes before the process has to buffer data.
  while (ticks.readers() > 1 && sentCount < 500_000) {
    for (let index = 0; index < 2_000; index++) ticks.offer(createTick(++sentCount))
    await expect.poll(() => fastClient.messages().length, { interval: 5 }).toBe(sentCount)
    await new Promise((next) => setImmediate(next))
  }
  expect(ticks.readers()).toBe(1)
  expect(fastClient.ended()).toBeNull()
})

test('tick feed: disconnects a client that no longer responds to pings', async () => {
  const { connect, ticks, time } = await createTestBed()
  const { ws } = connect()
  await expect.poll(ticks.readers).toBe(1)
  time.advance(10_000)
  ws.pause()
  await expect
    .poll(() => {
      time.advance(10_000)
      return ticks.readers()
    })
    .toBe(0)
})
