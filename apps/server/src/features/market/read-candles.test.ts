import type { IncomingMessage, ServerResponse } from 'node:http'
import { fakeClock, testConfig } from '@tocsin/testkit'
import { serve } from '@tocsin/testkit/serve'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createCandleReader, toCandlesUrl } from './read-candles.ts'

const row = [1_772_460_000, '1', '2', '0.5', '1.5', '7']
const query = { venue: 'binance', market: 'BTC/USDT', from: 1_772_460_000, to: 1_772_460_060 }

type Respond = (request: IncomingMessage, response: ServerResponse) => void

async function createTestReader(respond: Respond, key: string | null = 'key-of-the-source') {
  const clock = fakeClock(new Date('2026-03-02T14:00:30.000Z'))
  const bed = { respond, urls: [] as string[] }
  const source = await serve((request, response) => {
    bed.urls.push(request.url ?? '')
    bed.respond(request, response)
  })
  const url = `${source.replace('http', 'ws')}/ticks`
  const config = testConfig({ marketData: { url, key } })
  return { bed, clock, read: createCandleReader({ config, clock, logger: pino({ level: 'silent' }) }) }
}

const send =
  (body: unknown, status = 200): Respond =>
  (_request, response) =>
    void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))

test.each<[string, Respond]>([
  ['it does not know the market', send({ error: 'Unknown' }, 404)],
  ['it has no candles', send('', 426)],
  ['it fails', send({}, 503)],
  ['it sends no JSON', send('no JSON')],
  ['a candle is incomplete', send({ candles: [row.slice(0, 4)] })],
  ['a price is no decimal', send({ candles: [[60, '1', 'NaN', '1', '1', '1']] })],
  ['it sends more than a megabyte', send({ candles: [], more: 'x'.repeat(1024 * 1024) })],
  ['it redirects', (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
])('candles of a source: are null when %s', async (_, respond) => {
  const { bed, read } = await createTestReader(respond)
  expect(await read(query)).toBeNull()
  expect(bed.urls).toHaveLength(1)
})

test('candles of a source: are requested with its key, and only once for identical concurrent reads', async () => {
  const { bed, clock, read } = await createTestReader(({ headers }, response) => {
    const isAllowed = headers.authorization === 'Bearer key-of-the-source'
    response.writeHead(isAllowed ? 200 : 401).end(JSON.stringify({ candles: [row] }))
  })
  expect(await Promise.all([read(query), read(query)])).toEqual([{ candles: [row] }, { candles: [row] }])
  expect(bed.urls).toEqual(['/candles?venue=binance&market=BTC%2FUSDT&from=1772460000&to=1772460060'])
  clock.advance(10_000)
  await read(query)
  expect(bed.urls).toHaveLength(2)
})

test('candles of a source: of a past period are requested again 10 s after a failure, but not after a success', async () => {
  const { bed, clock, read } = await createTestReader(send({}, 503))
  const pastQuery = { ...query, from: 60, to: 120 }
  expect(await read(pastQuery)).toBeNull()
  bed.respond = send({ candles: [row] })
  clock.advance(10_000)
  expect(await read(pastQuery)).toEqual({ candles: [row] })
  clock.advance(10_000)
  await read(pastQuery)
  expect(bed.urls).toHaveLength(2)
})

test.each([
  [null, null],
  ['ws://engine:3600', null],
  ['ws://engine:3600/ticks?key=1', null],
  ['ws://engine:3600/ticks', 'http://engine:3600/candles'],
  ['wss://example.org/engine/ticks', 'https://example.org/engine/candles'],
])('toCandlesUrl: for the source %s returns %s', (url, expected) => {
  expect(toCandlesUrl(url)).toBe(expected)
})
