import type { Gap, Tick } from '@tocsin/engine'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startExchange } from '../../test/exchange.ts'
import { createManualTime } from '../../test/manual-time.ts'
import { getFrame, startAt, symbols } from '../../test/wire.ts'
import { type LiveVenue, liveVenues } from '../market.ts'
import { createRestClient } from './rest-client.ts'
import type { Position } from './trade-sequence.ts'
import { startVenueSource } from './venue-source.ts'
import { pointTo, type VenueStream, venueStreams } from './venues.ts'

const subscribedFrame: Record<LiveVenue, string> = {
  binance: '{"result":null,"id":1}',
  coinbase: '{"type":"subscriptions","channels":[]}',
  kraken: '{"method":"subscribe","success":true}',
  okx: '{"event":"subscribe","arg":{}}',
}

const SUBSCRIBE = /"(method|type|op)":"subscribe"/i

async function createTestBed(
  venue: LiveVenue,
  resumed: Position | null = null,
  more: Partial<VenueStream> = {},
  eventTime = 0,
) {
  let confirmedCount = 0
  const exchange = await startExchange(venue)
  const time = createManualTime()
  const stop = new AbortController()
  const events: (Tick | Gap)[] = []
  const stream = { ...pointTo(venueStreams[venue], exchange.url), ...more }
  const dependencies = {
    ...time,
    signal: stop.signal,
    random: () => 1,
    emit: (event: Tick | Gap) => void events.push(event),
    noteLiveTrade: () => {},
    log: () => {},
  }
  const client = createRestClient(stream.restUrl, 0, dependencies)
  const name = symbols[venue].name
  const positions = new Map(resumed ? [[`${venue}:${name}`, resumed]] : [])
  const source = startVenueSource(venue, stream, [{ venue, name }], client, { positions, eventTime }, dependencies)
  onTestFinished(async () => {
    stop.abort()
    await source.finished
    await exchange.close()
  })
  const testBed = {
    exchange,
    source,
    events,
    time,
    numbers: () => events.flatMap((event) => (event.type === 'tick' ? [event.number] : [])),
    gaps: () => events.flatMap((event) => (event.type === 'gap' ? [[event.from - startAt, event.to - startAt]] : [])),
    market: () => source.status().markets[0],
    /** Waits for the next connection and confirms its subscription. */
    async subscribe() {
      confirmedCount += 1
      await expect.poll(() => exchange.received.filter((text) => SUBSCRIBE.test(text)).length).toBe(confirmedCount)
      exchange.send(subscribedFrame[venue])
      await expect.poll(() => testBed.market()?.isCatchingUp).toBe(false)
    },
    until: (numbers: number[]) => expect.poll(testBed.numbers).toEqual(numbers),
  }
  return testBed
}

describe.each(liveVenues)('%s source', (venue) => {
  test.each<[string, (trade: string) => string | Buffer, string]>([
    ['half a frame', (trade) => trade.slice(0, 80), 'not-json'],
    ['a price of 0', (trade) => trade.replace('61204.10', '0.0'), 'bad-price'],
    ['another market’s trade', (trade) => trade.replaceAll(symbols[venue].stream, 'ETH'), 'other-market'],
    ['a binary frame', (trade) => Buffer.from(trade), 'not-text'],
    ['a frame of 10 MB', (trade) => trade + ' '.repeat(10 * 1024 * 1024), 'too-large'],
  ])('counts the refusal by its reason and continues when the exchange sends %s', async (_name, change, reason) => {
    const { exchange, source, subscribe, until } = await createTestBed(venue)
    await subscribe()
    exchange.send(change(getFrame(venue, { number: 1 })))
    await expect.poll(() => source.status().refused).toEqual({ [reason]: 1 })
    if (reason === 'too-large') await subscribe()
    exchange.trade({ number: 2 })
    await until([2])
  })

  test.each<[string, number, string]>([
    ['in the future', 61_000, 'time-in-future'],
    ['in 1970', -startAt, 'time-in-past'],
    ['of two days ago', -48 * 3_600_000, 'time-in-past'],
  ])('refuses a trade, counts it by reason and continues when the trade is %s', async (_name, offset, reason) => {
    const { exchange, market, subscribe, until } = await createTestBed(venue)
    await subscribe()
    exchange.send(getFrame(venue, { number: 1, at: startAt + offset }))
    await expect.poll(() => market()?.refused).toEqual({ [reason]: 1 })
    exchange.trade({ number: 2 })
    await until([2])
  })

  test('counts a trade as refused when its number goes backwards', async () => {
    const { exchange, market, subscribe, until } = await createTestBed(venue)
    await subscribe()
    exchange.trade({ number: 5 }, { number: 6 })
    exchange.send(getFrame(venue, { number: 4 }))
    exchange.send(getFrame(venue, { number: 6 }))
    await expect.poll(() => market()?.refused).toEqual({ 'number-backwards': 2 })
    await until([5, 6])
  })

  test('fills a gap over REST and keeps the order when numbers are missing', async () => {
    const { exchange, market, subscribe, until, gaps } = await createTestBed(venue)
    await subscribe()
    exchange.trade({ number: 1 })
    exchange.record({ number: 2 }, { number: 3 })
    exchange.trade({ number: 4 })
    await until([1, 2, 3, 4])
    expect(market()).toMatchObject({ gapsFilled: 1, tradesFilled: 2, gapsLost: 0 })
    expect(gaps()).toEqual([[0, 1]])
  })

  test('reports the time of the missing trades as a gap when they cannot be fetched', async () => {
    const { exchange, market, subscribe, until, gaps, time, source } = await createTestBed(venue)
    await subscribe()
    exchange.rest = { status: 503 }
    exchange.trade({ number: 1 })
    exchange.trade({ number: 4, at: startAt + 500 })
    await expect.poll(() => exchange.requests.length).toBeGreaterThan(2)
    expect(source.advance(startAt)).toBe(false)
    time.advance(15_000)
    await until([1, 4])
    expect(gaps()).toEqual([
      [0, 1],
      [1, 501],
    ])
    await expect.poll(() => source.advance(startAt + 13_000)).toBe(true)
    expect(market()).toMatchObject({ gapsFilled: 0, gapsLost: 1 })
  })

  test('fetches the trades missed while disconnected when it reconnects', async () => {
    const { exchange, subscribe, until, gaps } = await createTestBed(venue)
    await subscribe()
    exchange.trade({ number: 1 })
    await until([1])
    exchange.disconnect()
    exchange.record({ number: 2 }, { number: 3 })
    await subscribe()
    exchange.trade({ number: 4 })
    await until([1, 2, 3, 4])
    expect(gaps()).toEqual([[0, 1]])
  })

  test('fetches the missed trades when it reconnects in the same minute, but after more than 15 seconds', async () => {
    const { exchange, subscribe, until, gaps, time, source } = await createTestBed(venue)
    await subscribe()
    exchange.trade({ number: 1 })
    await until([1])
    exchange.drop()
    await expect.poll(exchange.connections).toBe(2)
    exchange.record({ number: 2, at: startAt + 10_000 })
    time.advance(16_000)
    await subscribe()
    await until([1, 2])
    expect(source.advance(startAt + 60_000)).toBe(true)
    expect(gaps()).toEqual([[0, 1]])
  })

  test('fetches the trades missed during downtime when it resumes from a snapshot without further trades', async () => {
    const { exchange, subscribe, until, gaps } = await createTestBed(venue, { number: 6, at: startAt + 6 })
    exchange.record({ number: 6 }, { number: 7 }, { number: 8 })
    await subscribe()
    await until([7, 8])
    expect(gaps()).toEqual([])
  })

  test('reports a gap instead of fetching all trades when it was down for a day', async () => {
    const { exchange, subscribe, until, gaps } = await createTestBed(venue, { number: 5, at: startAt - 86_400_000 })
    exchange.record({ number: 3_000_000, at: startAt }, { number: 3_000_001, at: startAt + 1 })
    exchange.trade({ number: 3_000_002, at: startAt + 2 })
    await subscribe()
    await until([3_000_000, 3_000_001, 3_000_002])
    expect(gaps()).toEqual([[-86_400_000, 1]])
    expect(exchange.requests).toHaveLength(1)
  })

  test('finishes catching up when trades arrive but the subscription is not confirmed', async () => {
    const { exchange, until, market } = await createTestBed(venue)
    await expect.poll(() => exchange.received.length).toBe(1)
    exchange.trade({ number: 1 })
    await until([1])
    await expect.poll(() => market()?.isCatchingUp).toBe(false)
  })

  test('stops event time for at most 15 seconds, then reports gaps, when the exchange is unreachable', async () => {
    const { exchange, subscribe, until, gaps, time, source } = await createTestBed(venue)
    await subscribe()
    exchange.trade({ number: 1 })
    await until([1])
    exchange.isClosed = true
    exchange.drop()
    await expect.poll(() => source.status().state).toBe('connecting')
    expect(source.advance(startAt + 1_000)).toBe(false)
    time.advance(15_000)
    expect(source.advance(startAt + 13_000)).toBe(true)
    expect(source.advance(startAt + 14_000)).toBe(true)
    expect(source.advance(startAt + 60_000)).toBe(true)
    expect(gaps()).toEqual([
      [0, 1],
      [1, 60_000],
      [60_000, 120_000],
    ])
  })

  test('passes every trade once and in order when the stream drops, repeats, swaps and disconnects at random', async () => {
    const { exchange, subscribe, until, gaps, numbers } = await createTestBed(venue)
    await subscribe()
    let seed = 18
    const random = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * limit)
    }
    let number = 0
    const next = () => ({ number: ++number })
    const faults = [
      () => exchange.record(next(), next()),
      () => exchange.send(getFrame(venue, { number: 1 + random(number) })),
      () => exchange.send(getFrame(venue, { number }).slice(0, 60)),
      () => {
        const [one, two] = [next(), next()]
        exchange.record(one, two)
        for (const trade of [two, one]) exchange.send(getFrame(venue, trade))
      },
      async () => {
        // Drop at most two connections. After a third drop in a row, the source waits 4 s, and only
        // delays of up to 2 s pass without advancing the time.
        if (exchange.connections() > 2) return
        exchange.drop()
        exchange.record(next())
        await subscribe()
      },
    ]
    exchange.trade(next())
    for (let round = 0; round < 40; round++) {
      await faults[random(faults.length)]?.()
      exchange.trade(next(), next())
      if (random(3) === 0) await expect.poll(() => numbers().at(-1)).toBe(number)
    }
    await until(Array.from({ length: number }, (_, index) => index + 1))
    expect(gaps()).toEqual([[0, 1]])
  })

  test('reports only the new loss when the exchange becomes unreachable a second time', async () => {
    const { exchange, subscribe, until, gaps, time, source } = await createTestBed(venue)
    await subscribe()
    exchange.trade({ number: 1 })
    await until([1])
    const closeConnection = async () => {
      exchange.isClosed = true
      exchange.drop()
      await expect.poll(() => source.status().state).toBe('connecting')
      time.advance(15_000)
    }
    await closeConnection()
    expect(source.advance(startAt + 13_000)).toBe(true)
    exchange.isClosed = false
    // The exchange may already have rejected the reconnection attempt of these 15 s. Then a later
    // attempt succeeds.
    await expect
      .poll(() => {
        time.advance(500)
        return exchange.connections()
      })
      .toBe(2)
    await subscribe()
    exchange.trade({ number: 2, at: startAt + 70_000 })
    await until([1, 2])
    expect(source.advance(startAt + 120_000)).toBe(true)
    await closeConnection()
    expect(source.advance(startAt + 180_000)).toBe(true)
    expect(gaps()).toEqual([
      [0, 1],
      [1, 60_000],
      [70_000, 240_000],
    ])
  })

  test('reconnects when the connection is open but silent', async () => {
    const { exchange, subscribe, time, source } = await createTestBed(venue)
    await subscribe()
    for (let index = 0; index < 10; index++) time.advance(venueStreams[venue].silentAfterMs / 10 + 1)
    await expect.poll(() => source.status().lastEnd).toMatch(/^silent for \d+ s$/)
    await expect.poll(exchange.connections).toBe(2)
  })
})

test.each<LiveVenue>(['binance', 'okx'])(
  '%s source: reports a loss when the exchange returns an invalid trade for a missing number',
  async (venue) => {
    const { exchange, subscribe, until, gaps, market } = await createTestBed(venue)
    await subscribe()
    exchange.trade({ number: 1 })
    exchange.record({ number: 2 }, { number: 3, price: '0' }, { number: 4 })
    exchange.trade({ number: 5 })
    await until([1, 2, 4, 5])
    expect(gaps()).toEqual([
      [0, 1],
      [2, 5],
    ])
    expect(market()).toMatchObject({ gapsLost: 1, tradesFilled: 2 })
  },
)

test('source: waits longer after each failure when the exchange rejects connections', async () => {
  const exchange = await startExchange('okx')
  exchange.isClosed = true
  const time = createManualTime()
  const stop = new AbortController()
  const delays: number[] = []
  const schedule = {
    ...time.schedule,
    after(delayMs: number, run: () => void) {
      delays.push(delayMs)
      if (delays.length === 9) stop.abort()
      const timer = setImmediate(run)
      return () => clearImmediate(timer)
    },
  }
  const callbacks = { emit() {}, noteLiveTrade() {}, log() {} }
  const dependencies = { ...time, schedule, signal: stop.signal, random: () => 0.5, ...callbacks }
  const stream = pointTo(venueStreams.okx, exchange.url)
  const client = createRestClient(stream.restUrl, 0, dependencies)
  const source = startVenueSource('okx', stream, [], client, { positions: new Map(), eventTime: 0 }, dependencies)
  await source.finished
  await exchange.close()
  expect(delays).toEqual([750, 1_500, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000, 45_000])
})

test('binance source: replaces the connection without a pause when it is about to be 24 hours old', async () => {
  const { exchange, subscribe, until, time, market } = await createTestBed('binance', null, { replaceAfterMs: 10_000 })
  await subscribe()
  exchange.trade({ number: 1 })
  await until([1])
  time.advance(10_000)
  await expect.poll(exchange.open).toBe(2)
  exchange.send(getFrame('binance', { number: 2, at: time.nowMs() }))
  await until([1, 2])
  expect(market()?.isCatchingUp).toBe(false)
  await subscribe()
  await expect.poll(exchange.open).toBe(1)
  exchange.send(getFrame('binance', { number: 3, at: time.nowMs() }))
  await until([1, 2, 3])
  expect(market()?.isCatchingUp).toBe(false)
})

test('binance source: holds event time and fetches missed trades when the old connection ends before its replacement is subscribed', async () => {
  const { exchange, source, subscribe, until, time, market } = await createTestBed('binance', null, {
    replaceAfterMs: 10_000,
  })
  await subscribe()
  exchange.trade({ number: 1 })
  await until([1])
  time.advance(10_000)
  await expect.poll(exchange.open).toBe(2)
  exchange.dropOldest()
  exchange.record({ number: 2, at: startAt + 11_000 })
  await expect.poll(() => market()?.isCatchingUp).toBe(true)
  expect(source.advance(startAt + 60_000)).toBe(false)
  await subscribe()
  await until([1, 2])
})

test('binance source: marks the gap as a restart when the exchange has renumbered its trades', async () => {
  const { exchange, subscribe, until, events } = await createTestBed('binance')
  await subscribe()
  exchange.trade({ number: 1_000_000, at: startAt })
  await until([1_000_000])
  for (let number = 1; number <= 21; number++) exchange.send(getFrame('binance', { number, at: startAt + number }))
  await until([1_000_000, 20, 21])
  expect(events.filter(({ type }) => type === 'gap')).toMatchObject([
    { from: startAt, to: startAt + 21, restarted: true },
  ])
})

test('binance source: connects again when the exchange announces that its server shuts down', async () => {
  const { exchange, subscribe } = await createTestBed('binance')
  await subscribe()
  exchange.send('{"e":"serverShutdown","E":1770123456789}')
  await expect.poll(exchange.connections).toBe(2)
})

test('coinbase source: fetches a trade when only the heartbeat names it', async () => {
  const { exchange, subscribe, until } = await createTestBed('coinbase')
  await subscribe()
  exchange.trade({ number: 1 })
  exchange.record({ number: 2 })
  exchange.send(
    '{"type":"heartbeat","sequence":9,"last_trade_id":2,"product_id":"BTC-USD","time":"2026-03-02T14:31:00Z"}',
  )
  await until([1, 2])
})

test('coinbase source: fetches a trade when a heartbeat first names it while an earlier trade is being fetched', async () => {
  const { exchange, source, subscribe, until, market } = await createTestBed('coinbase')
  const sendHeartbeat = (number: number) =>
    exchange.send(
      `{"type":"heartbeat","sequence":9,"last_trade_id":${number},"product_id":"BTC-USD","time":"2026-03-02T14:31:00Z"}`,
    )
  await subscribe()
  exchange.trade({ number: 1 })
  await until([1])
  exchange.rest = { status: 503 }
  sendHeartbeat(2)
  sendHeartbeat(3)
  // The count of this frame shows that both heartbeats have been read.
  exchange.send('{')
  await expect.poll(() => source.status().refused).toEqual({ 'not-json': 1 })
  exchange.record({ number: 2 })
  exchange.rest = {}
  await until([1, 2])
  await expect.poll(() => market()?.isCatchingUp).toBe(false)
  exchange.record({ number: 3 })
  sendHeartbeat(3)
  await until([1, 2, 3])
})

test.each<LiveVenue>(['coinbase', 'kraken'])(
  '%s source: reports no loss when the exchange has skipped a number',
  async (venue) => {
    const { exchange, subscribe, until, gaps, market } = await createTestBed(venue)
    await subscribe()
    exchange.trade({ number: 1 }, { number: 2 }, { number: 5 })
    await until([1, 2, 5])
    expect(gaps()).toEqual([[0, 1]])
    expect(market()).toMatchObject({ gapsLost: 0 })
  },
)

test('source: reports the time from the saved state to the subscription as lost when no trade is known', async () => {
  const { exchange, subscribe, until, gaps, source } = await createTestBed('okx', null, {}, startAt - 120_000)
  await subscribe()
  expect(gaps()).toEqual([[-120_000, 0]])
  expect(source.advance(startAt)).toBe(true)
  exchange.trade({ number: 1, at: startAt + 500 })
  await until([1])
  expect(gaps()).toEqual([
    [-120_000, 0],
    [0, 500],
  ])
})

test('source: reports the time from the saved state to the first trade as lost when the subscription is unconfirmed', async () => {
  const { exchange, until, gaps } = await createTestBed('okx', null, {}, startAt - 120_000)
  await expect.poll(() => exchange.received.length).toBe(1)
  exchange.trade({ number: 1, at: startAt + 500 })
  await until([1])
  expect(gaps()).toEqual([[-120_000, 500]])
})

test('source: reports a loss when no trade is known and the subscription is never confirmed', async () => {
  const { gaps, time, source } = await createTestBed('okx', null, {}, startAt - 120_000)
  expect(source.advance(startAt)).toBe(false)
  time.advance(15_000)
  expect(source.advance(startAt + 13_000)).toBe(true)
  expect(gaps()).toEqual([[-120_000, 60_000]])
})

test('source: status contains the exchange’s error when the exchange rejects a subscription', async () => {
  const { exchange, source, subscribe } = await createTestBed('kraken')
  await subscribe()
  exchange.send('{"error":"Currency pair not supported\\u202e BTC/XYZ","method":"subscribe","success":false}')
  await expect.poll(() => source.status().rejected).toBe('Currency pair not supported� BTC/XYZ')
})
