import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getFrame, startAt, symbols, type TestTrade } from '../../test/wire.ts'
import { type LiveVenue, liveVenues } from '../market.ts'
import { readBinanceFrame } from './binance.ts'
import { readCoinbaseFrame } from './coinbase.ts'
import type { Frame } from './frame.ts'
import { readKrakenFrame } from './kraken.ts'
import { readOkxFrame } from './okx.ts'

const frameReaders: Record<LiveVenue, (text: string) => Frame> = {
  binance: readBinanceFrame,
  coinbase: readCoinbaseFrame,
  kraken: readKrakenFrame,
  okx: readOkxFrame,
}

/**
 * Changes a frame so that it is not in the documented form byte for byte. The general parser then
 * reads it.
 */
const insertSpaces = (text: string) => text.replace('{', '{ ')

const getReason = (frame: Frame) => {
  if (frame.kind === 'refused') return frame.reason
  return frame.kind === 'trades' ? frame.refused[0] : undefined
}

describe.each(liveVenues)('%s frame', (venue) => {
  const trade = getFrame(venue, { number: 7 })

  test.each<[string, string, string]>([
    ['half a frame', trade.slice(0, 90), 'not-json'],
    ['text that is not JSON', 'hello', 'not-json'],
    ['an empty text', '', 'not-json'],
    ['a JSON array', '[]', 'unknown-shape'],
    ['a JSON string', '"trade"', 'unknown-shape'],
    ['an unknown object', '{"hello":1}', 'unknown-shape'],
    ['a price that is NaN', trade.replace(/61204\.10/, 'NaN'), venue === 'kraken' ? 'not-json' : 'bad-price'],
    ['a price of 0', getFrame(venue, { number: 7, price: '0.00' }), 'bad-price'],
    ['a negative price', getFrame(venue, { number: 7, price: '-61204.10' }), 'bad-price'],
    ['a price of 1e308', getFrame(venue, { number: 7, price: '1e308' }), 'bad-price'],
    ['a price above every market', getFrame(venue, { number: 7, price: '9999999999999999' }), 'bad-price'],
    ['an amount of 0', getFrame(venue, { number: 7, amount: '0' }), 'bad-amount'],
    ['a negative amount', getFrame(venue, { number: 7, amount: '-1' }), 'bad-amount'],
    ['an unsafe trade number', trade.replace(/(:"?)7([",])/, '$19007199254740993$2'), 'bad-number'],
    ['a fractional trade number', trade.replace(/(:"?)7([",])/, '$17.5$2'), 'bad-number'],
    [
      'an unknown trade side',
      trade.replace(/"(buy|sell)"|:false/, (side) => (side === ':false' ? ':2' : '"up"')),
      'bad-side',
    ],
    [
      'an invalid time',
      trade.replace(/"T":\d+|"ts":"\d+"|"time":"[^"]+"|"timestamp":"[^"]+"/, (time) => `${time.split(':')[0]}:"soon"`),
      'bad-time',
    ],
  ])('is refused when it is or contains %s', (_name, text, reason) => {
    expect(getReason(frameReaders[venue](text))).toBe(reason)
    expect(getReason(frameReaders[venue](insertSpaces(text)))).toBe(reason)
  })

  test.each<TestTrade>([
    { number: 7, takerSide: 'sell' },
    { number: 8, takerSide: 'buy', price: '0.00000123', amount: '123456789.00000001' },
    ...(venue === 'okx' ? [{ number: 9, count: 3 }] : []),
    ...(venue === 'kraken' ? [{ number: 9, amount: '1e-7' }] : []),
  ])('is read when it is the trade %o', (givenTrade) => {
    const { number, takerSide = 'buy', price = '61204.10', amount = '0.0150', count = 1 } = givenTrade
    const text = getFrame(venue, givenTrade)
    const expected = {
      kind: 'trades',
      refused: [],
      trades: [
        {
          symbol: symbols[venue].stream,
          number,
          count,
          at: startAt + number,
          price: Number(price),
          amount: Number(amount),
          takerSide,
        },
      ],
    }
    expect(frameReaders[venue](text)).toEqual(expected)
    expect(frameReaders[venue](insertSpaces(text))).toEqual(expected)
  })

  test('is read identically by the fast and the general parser when its values vary', () => {
    const digits = fc.stringMatching(/^\d{1,12}(\.\d{1,10})?$/)
    fc.assert(
      fc.property(
        fc.nat(),
        digits,
        digits,
        fc.constantFrom('buy' as const, 'sell' as const),
        (number, price, amount, takerSide) => {
          const text = getFrame(venue, { number, price, amount, takerSide, at: startAt + (number % 1_000_000) })
          // Kraken sends prices and amounts as JSON numbers, which must not have leading zeros.
          fc.pre(venue !== 'kraken' || JSON.stringify([price, amount]).match(/"0\d/) === null)
          expect(frameReaders[venue](text)).toEqual(frameReaders[venue](insertSpaces(text)))
        },
      ),
      { seed: 18, numRuns: 300 },
    )
  })

  test('never throws when its text is arbitrary', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(frameReaders[venue](text).kind).toBeTypeOf('string')
      }),
      { seed: 18, numRuns: 500 },
    )
  })
})

test.each<[LiveVenue, string, string, Partial<Frame>]>([
  ['binance', 'the subscription is confirmed', '{"result":null,"id":1}', { kind: 'subscribed' }],
  [
    'binance',
    'the request is invalid',
    '{"code":2,"msg":"Invalid\\n request"}',
    { kind: 'rejected', message: 'Invalid� request' },
  ],
  [
    'binance',
    'the server shuts down (combined)',
    '{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1770123456789}}',
    { kind: 'restart' },
  ],
  ['binance', 'the server shuts down (raw)', '{"e":"serverShutdown","E":1770123456789}', { kind: 'restart' }],
  ['coinbase', 'the subscription is confirmed', '{"type":"subscriptions","channels":[]}', { kind: 'subscribed' }],
  [
    'coinbase',
    'the product is unknown (from memory)',
    '{"type":"error","message":"Failed","reason":"BTC-XYZ is not a valid product"}',
    { kind: 'rejected', message: 'BTC-XYZ is not a valid product' },
  ],
  [
    'coinbase',
    'an old trade comes first',
    '{"type":"last_match","trade_id":41,"side":"sell","size":"1","price":"1","product_id":"BTC-USD","time":"2026-03-02T14:30:00Z"}',
    { kind: 'newest', symbol: 'BTC-USD', number: 41 },
  ],
  [
    'coinbase',
    'the heartbeat has a number',
    '{"type":"heartbeat","sequence":9,"last_trade_id":42,"product_id":"BTC-USD","time":"2026-03-02T14:30:00Z"}',
    { kind: 'newest', symbol: 'BTC-USD', number: 42 },
  ],
  [
    'coinbase',
    'the heartbeat’s number is 0',
    '{"type":"heartbeat","sequence":9,"last_trade_id":0,"product_id":"BTC-USD","time":"2026-03-02T14:30:00Z"}',
    { kind: 'alive' },
  ],
  [
    'kraken',
    'the connection starts',
    '{"channel":"status","data":[{"connection_id":15564437896659189083}],"type":"update"}',
    { kind: 'alive' },
  ],
  ['kraken', 'the heartbeat arrives', '{"channel":"heartbeat"}', { kind: 'alive' }],
  ['kraken', 'a pong (from memory)', '{"method":"pong","req_id":101}', { kind: 'alive' }],
  [
    'kraken',
    'the subscription is confirmed',
    '{"method":"subscribe","result":{"channel":"trade"},"success":true}',
    { kind: 'subscribed' },
  ],
  [
    'kraken',
    'the pair is unknown',
    '{"error":"Currency pair not supported BTC/XYZ","method":"subscribe","success":false}',
    { kind: 'rejected', message: 'Currency pair not supported BTC/XYZ' },
  ],
  [
    'kraken',
    'the snapshot is empty',
    '{"channel":"trade","type":"snapshot","data":[]}',
    { kind: 'trades', trades: [] },
  ],
  [
    'okx',
    'the subscription is confirmed',
    '{"event":"subscribe","arg":{"channel":"trades","instId":"BTC-USDT"}}',
    { kind: 'subscribed' },
  ],
  [
    'okx',
    'the request is invalid',
    '{"event":"error","code":"60012","msg":"Invalid request"}',
    { kind: 'rejected', message: 'Invalid request' },
  ],
  ['okx', 'a pong', 'pong', { kind: 'alive' }],
])('%s frame: is parsed as expected in this case: %s', (venue, _when, text, expected) => {
  expect(frameReaders[venue](text)).toMatchObject(expected)
})

test('kraken frame: gives two trades when an update has two', () => {
  const [firstFrame, secondFrame] = [
    getFrame('kraken', { number: 1 }),
    getFrame('kraken', { number: 2, amount: '1e-7' }),
  ]
  const text = firstFrame.replace(']}', `,${secondFrame.slice(secondFrame.indexOf('[') + 1)}`)
  for (const form of [text, insertSpaces(text)]) {
    expect(readKrakenFrame(form)).toMatchObject({ trades: [{ number: 1 }, { number: 2, amount: 1e-7 }] })
  }
})

test('okx frame: is read as one trade when the count is missing', () => {
  const text = getFrame('okx', { number: 9 }).replace(/,"count".*\}\]\}/, '}]}')
  expect(readOkxFrame(text)).toMatchObject({ trades: [{ number: 9, count: 1 }] })
})

test.each(['0', '11', '-1', '1.5', 'x'])(
  'okx frame: is refused when the trade count of trade number 9 is %s',
  (count) => {
    const text = getFrame('okx', { number: 9 }).replace('"count":"1"', `"count":"${count}"`)
    expect(getReason(readOkxFrame(text))).toBe('bad-count')
  },
)
