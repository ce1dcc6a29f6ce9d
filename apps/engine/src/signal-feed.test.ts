import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createManualTime } from '../test/manual-time.ts'
import { startSignalFeed } from './signal-feed.ts'
import { type Message, type Outbox, openOutbox } from './store/outbox.ts'

const createSignal = (id: string, size = 0): Message => ({
  kind: 'signal',
  id,
  text: JSON.stringify({ id, summary: 'x'.repeat(size) }),
  at: Number.MAX_SAFE_INTEGER,
})

async function createTestBed(key: string | null = 'secret') {
  const folder = mkdtempSync(join(tmpdir(), 'engine-feed-'))
  const outbox = openOutbox(folder)
  const time = createManualTime()
  let taken = 0
  let statuses = 0
  const countedOutbox: Outbox = {
    ...outbox,
    offer(...position) {
      const messages = outbox.offer(...position)
      taken += messages.length
      return messages
    },
  }
  const feed = await startSignalFeed({
    host: '127.0.0.1',
    port: 0,
    key,
    outbox: countedOutbox,
    ticks: { add: (socket) => socket.close(), readers: () => 0 },
    candles: { respond: async (query) => ({ status: 404, body: { error: `No ${query.get('market')}` } }) },
    ...time,
    messageTime: time.nowMs,
    status: () => ({ markets: 2 }),
    statusMessage: () => ({ type: 'status', count: ++statuses }),
  })
  onTestFinished(async () => {
    await feed.close()
    outbox.close()
    rmSync(folder, { recursive: true })
  })
  const connect = (authorization = 'Bearer secret', options = {}) => {
    const ids: string[] = []
    const ws = new WebSocket(feed.url, { headers: { authorization }, ...options })
    let ended: string | null = null
    const received: number[] = []
    ws.on('message', (data) => {
      const { id, count } = JSON.parse(data.toString())
      if (id === undefined) received.push(count)
      else ids.push(id)
    })
    ws.on('error', (error) => {
      ended = error.message
    })
    ws.on('close', () => {
      ended ??= 'closed'
    })
    onTestFinished(() => ws.terminate())
    return { ws, ids, statuses: received, ended: () => ended }
  }
  return { outbox, feed, time, connect, taken: () => taken }
}

test.each(['', 'Bearer wrong', 'bearer secret', 'Bearer secret2'])(
  'signal feed: rejects the handshake when Authorization is %o',
  async (authorization) => {
    const { connect } = await createTestBed()
    await expect.poll(connect(authorization).ended).toBe('Unexpected server response: 401')
  },
)

test('signal feed: sends stored messages and then new ones when a server connects', async () => {
  const { outbox, feed, connect } = await createTestBed()
  outbox.add([createSignal('a'), createSignal('b')])
  const { ids } = connect()
  await expect.poll(() => ids).toEqual(['a', 'b'])
  outbox.add([createSignal('c')])
  feed.wake()
  await expect.poll(() => ids).toEqual(['a', 'b', 'c'])
  await expect.poll(outbox.waiting).toBe(0)
})

test('signal feed: resends a message when the server disconnects without acknowledging it', async () => {
  const { outbox, connect } = await createTestBed()
  outbox.add([createSignal('a')])
  const first = connect('Bearer secret', { autoPong: false })
  await expect.poll(() => first.ids).toEqual(['a'])
  first.ws.terminate()
  expect(outbox.waiting()).toBe(1)
  const secondClient = connect()
  await expect.poll(() => secondClient.ids).toEqual(['a'])
  await expect.poll(outbox.waiting).toBe(0)
})

test('signal feed: sends a new outcome again after a minute, in case the server’s clock is behind', async () => {
  const { outbox, feed, time, connect } = await createTestBed()
  const createOutcome = (id: string): Message => ({
    kind: 'outcome',
    id,
    text: JSON.stringify({ id }),
    at: time.nowMs(),
  })
  outbox.add([createOutcome('old')])
  time.advance(61_000)
  const product = connect()
  await expect.poll(() => product.ids).toEqual(['old'])
  outbox.add([createSignal('a'), createOutcome('b')])
  feed.wake()
  for (let index = 0; index < 5; index++) time.advance(10_000)
  outbox.add([createOutcome('c')])
  feed.wake()
  await expect.poll(() => product.ids).toEqual(['old', 'a', 'b', 'c'])
  for (let index = 0; index < 10; index++) {
    time.advance(10_000)
    await expect.poll(() => product.ids.length).toBe(index < 5 ? 5 : 6)
  }
  expect(product.ids).toEqual(['old', 'a', 'b', 'c', 'b', 'c'])
})

test('signal feed: sends every message to both when two servers are connected', async () => {
  const { outbox, feed, connect } = await createTestBed()
  const products = [connect(), connect()]
  await expect.poll(feed.products).toBe(2)
  outbox.add([createSignal('a'), createSignal('b')])
  feed.wake()
  for (const { ids } of products) await expect.poll(() => ids).toEqual(['a', 'b'])
})

test('signal feed: ignores a pong that acknowledges a position that was never sent', async () => {
  const { outbox, connect } = await createTestBed()
  const product = connect('Bearer secret', { autoPong: false })
  await expect.poll(() => product.ws.readyState).toBe(WebSocket.OPEN)
  outbox.add([createSignal('a')])
  for (const position of ['1', '-1', 'NaN', '1e9', '']) product.ws.pong(position)
  product.ws.close()
  await expect.poll(product.ended).toBe('closed')
  expect(outbox.waiting()).toBe(1)
})

test('signal feed: pauses and loses none of 2,000 messages (20 MB) when a server stops reading', async () => {
  const { outbox, connect, feed, taken } = await createTestBed()
  outbox.add(Array.from({ length: 2_000 }, (_, index) => createSignal(String(index), 10_000)))
  const product = connect()
  product.ws.on('open', () => product.ws.pause())
  await expect.poll(feed.products).toBe(1)
  await expect.poll(() => product.ws.isPaused).toBe(true)
  expect(taken()).toBeLessThan(2_000)
  product.ws.resume()
  await expect.poll(() => product.ids.length).toBe(2_000)
  expect(product.ids).toEqual(Array.from({ length: 2_000 }, (_, index) => String(index)))
  await expect.poll(outbox.waiting).toBe(0)
})

test('signal feed: sends its status on connect and every ten seconds, but not to a slow server', async () => {
  const { outbox, feed, time, connect } = await createTestBed()
  const feedClient = connect()
  await expect.poll(() => feedClient.statuses).toEqual([1])
  time.advance(10_000)
  await expect.poll(() => feedClient.statuses).toEqual([1, 2])
  feedClient.ws.pause()
  outbox.add(Array.from({ length: 2_000 }, (_, index) => createSignal(String(index), 10_000)))
  feed.wake()
  time.advance(10_000)
  feedClient.ws.resume()
  await expect.poll(() => feedClient.ids.length).toBe(2_000)
  expect(feedClient.statuses).toEqual([1, 2])
  time.advance(10_000)
  await expect.poll(() => feedClient.statuses).toEqual([1, 2, 3])
})

test('signal feed: closes a connection when the server has sent no pong for two minutes', async () => {
  const { connect, time } = await createTestBed()
  const product = connect('Bearer secret', { autoPong: false })
  await expect.poll(() => product.ws.readyState).toBe(WebSocket.OPEN)
  for (let index = 0; index < 12; index++) time.advance(10_000)
  await expect.poll(product.ended).toBe('closed')
})

test('signal feed: closes a connection when the server sends more than a kilobyte', async () => {
  const { connect } = await createTestBed()
  const product = connect()
  await expect.poll(() => product.ws.readyState).toBe(WebSocket.OPEN)
  product.ws.send('x'.repeat(1_025))
  await expect.poll(product.ended).toBe('closed')
})

test('signal feed: returns the engine’s status only when the API key is given', async () => {
  const { feed } = await createTestBed()
  const url = `${feed.url.replace('ws:', 'http:')}/status`
  expect((await fetch(url)).status).toBe(401)
  const response = await fetch(url, { headers: { authorization: 'Bearer secret' } })
  expect([response.status, await response.json()]).toEqual([200, { markets: 2 }])
  expect((await fetch(url.replace('/status', '/'))).status).toBe(426)
})

test('signal feed: returns candles only when the API key is given', async () => {
  const { feed } = await createTestBed()
  const url = `${feed.url.replace('ws:', 'http:')}/candles?market=BTC%2FUSDT`
  expect((await fetch(url)).status).toBe(401)
  const response = await fetch(url, { headers: { authorization: 'Bearer secret' } })
  expect([response.status, await response.json()]).toEqual([404, { error: 'No BTC/USDT' }])
})

test('signal feed: accepts every client when no key is set', async () => {
  const { outbox, connect } = await createTestBed(null)
  outbox.add([createSignal('a')])
  const { ids } = connect('')
  await expect.poll(() => ids).toEqual(['a'])
})

test('signal feed: rejects the handshake of a web page, even when no key is set', async () => {
  const { connect } = await createTestBed(null)
  const page = connect('', { origin: 'https://example.com' })
  await expect.poll(page.ended).toBe('Unexpected server response: 401')
})
