import { expect, test } from 'vitest'
import { createCandleFeed } from './candle-feed.ts'
import type { CandleRow } from './candles.ts'

const block = 4 * 3_600
const start = 1_772_460_000 - (1_772_460_000 % block)
const markets = [{ venue: 'binance', name: 'BTC/USDT', symbol: 'BTCUSDT' }] as const
const createRow = (at: number): CandleRow => [at, '1', '2', '0.5', '1.5', '7']

function createTestBed() {
  const bed = {
    nowMs: (start + 2 * block) * 1_000,
    requests: [] as [number, number][],
    failure: null as Error | null,
    delay: null as Promise<void> | null,
  }
  const feed = createCandleFeed({
    markets,
    nowMs: () => bed.nowMs,
    async candles(_venue, _symbol, from, to) {
      bed.requests.push([from, to])
      await bed.delay
      if (bed.failure) throw bed.failure
      return Array.from({ length: (to - from) / 60 }, (_, minute) => createRow(from + 60 * minute))
    },
  })
  const ask = (change: Record<string, string | number> = {}) => {
    const query = { venue: 'binance', market: 'BTC/USDT', from: start, to: start + 600, ...change }
    return feed.respond(
      new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)])),
    )
  }
  return { bed, ask }
}

test.each<[string, Record<string, string | number>, number]>([
  ['the range is empty', { to: start }, 400],
  ['the range is longer than a day', { to: start + 86_401 }, 400],
  ['a time is not a number', { from: '1e3' }, 400],
  ['the market is not watched', { market: 'ETH/USDT' }, 404],
  ['the venue is not watched', { venue: 'okx' }, 404],
])('candles: a request is refused when %s', async (_, change, status) => {
  const { bed, ask } = createTestBed()
  expect((await ask(change)).status).toBe(status)
  expect(bed.requests).toEqual([])
})

test('candles: are fetched again after the exchange has failed', async () => {
  const { bed, ask } = createTestBed()
  bed.failure = new Error('Timeout')
  expect((await ask()).status).toBe(503)
  bed.failure = null
  expect((await ask()).status).toBe(200)
})

test('candles: a newer block stays cached when an older fetch of the same block fails late', async () => {
  const { bed, ask } = createTestBed()
  bed.nowMs = (start + 125) * 1_000
  let failOlderFetch = (_reason: Error) => {}
  bed.delay = new Promise<void>((_, reject) => {
    failOlderFetch = reject
  })
  const olderResponse = ask()
  bed.delay = null
  bed.nowMs += 60_000
  expect((await ask()).status).toBe(200)
  failOlderFetch(new Error('Timeout'))
  expect((await olderResponse).status).toBe(503)
  expect((await ask()).status).toBe(200)
  expect(bed.requests).toHaveLength(2)
})

test('candles: a request gets status 503 when four other 4-hour blocks of candles are being fetched', async () => {
  const { bed, ask } = createTestBed()
  bed.nowMs = (start + 10 * block) * 1_000
  const answers = await Promise.all(
    [0, 1, 2, 3, 4].map((at) => ask({ from: start + at * block, to: start + at * block + 60 })),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 503])
})

test.each(['BTC/USDT', 'BTCUSDT'])(
  'candles: a request for a range of %s returns its candles and fetches each 4-hour block only once',
  async (market) => {
    const { bed, ask } = createTestBed()
    const range = { market, from: start + block - 60, to: start + block + 60 }
    const expected = { status: 200, body: { candles: [createRow(range.from), createRow(range.from + 60)] } }
    expect(await ask(range)).toEqual(expected)
    expect(await ask(range)).toEqual(expected)
    expect(bed.requests).toEqual([
      [start, start + block],
      [start + block, start + 2 * block - 60],
    ])
  },
)

test('candles: the current 4-hour block is fetched again only when another candle has been published', async () => {
  const { bed, ask } = createTestBed()
  bed.nowMs = (start + 125) * 1_000
  const readOpenTimes = async () => {
    const { body } = await ask()
    return 'candles' in body ? body.candles.map(([at]) => at - start) : []
  }
  expect(await readOpenTimes()).toEqual([0])
  bed.nowMs += 500
  expect(await readOpenTimes()).toEqual([0])
  bed.nowMs += 500
  expect(await readOpenTimes()).toEqual([0, 60])
  expect(bed.requests).toHaveLength(2)
})
