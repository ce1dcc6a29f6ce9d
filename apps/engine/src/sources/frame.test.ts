import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseWholeNumber, quote, type TradeTexts, toTrade } from './frame.ts'

const createTexts = (overrides: Partial<TradeTexts>): TradeTexts => ({
  symbol: 'BTC-USD',
  number: '7',
  count: undefined,
  time: '1772461860134',
  price: '1',
  amount: '1',
  side: 'buy',
  ...overrides,
})

const readTrade = (overrides: Partial<TradeTexts>) => {
  const trade = toTrade(createTexts(overrides))
  return typeof trade === 'string' ? trade : { price: trade.price, at: trade.at }
}

test.each([
  '',
  '.',
  '1.',
  '.5',
  '+1',
  '-1',
  ' 1',
  '1 ',
  '1.2.3',
  '0x1',
  '1_0',
  '0',
  '0.000',
  'NaN',
  'Infinity',
  '1e308',
])('toTrade: refuses the price when it is %o', (price) => {
  expect(readTrade({ price })).toBe('bad-price')
})

test.each([null, undefined, 1, {}, []])('toTrade: refuses the price when it is not a string but %o', (price) => {
  expect(readTrade({ price })).toBe('bad-price')
})

test('toTrade: reads any positive decimal price as the nearest binary64 value', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[1-9]\d{0,11}(\.\d{1,12})?$/), (price) => {
      expect(readTrade({ price })).toMatchObject({ price: Number(price) })
    }),
    { seed: 18, numRuns: 2_000 },
  )
})

test.each([
  '2026-13-01T00:00:00Z',
  '2026-03-02T24:00:00Z',
  '2026-03-02T14:60:00Z',
  '2026-03-02T14:31:60Z',
  '2026-03-02T14:31:00',
  '2026-03-02T14:31:00.Z',
  '2026-03-02T14:31:00+01:00',
  '2026-03-02 14:31:00Z',
  '17724618601340001',
  '1772461860.134',
  '-1',
  '',
])('toTrade: refuses the time when it is %o', (time) => {
  expect(readTrade({ time })).toBe('bad-time')
})

test('toTrade: reads ISO 8601 times like Date.parse, truncated to milliseconds', () => {
  const times = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(times, fc.nat(6), (date, digits) => {
      const [seconds = '', fraction = ''] = date.toISOString().slice(0, -1).split('.')
      const time = digits === 0 ? `${seconds}Z` : `${seconds}.${`${fraction}789`.slice(0, digits)}Z`
      const expected = digits < 3 ? Date.parse(time) : date.getTime()
      expect(readTrade({ time })).toMatchObject({ at: expected })
    }),
    { seed: 18, numRuns: 1_000 },
  )
})

test.each([
  ['1772461860134', 1_772_461_860_134],
  ['1772461860134999', 1_772_461_860_134],
])('toTrade: converts %s, a time in milliseconds or microseconds, to milliseconds', (time, at) => {
  expect(readTrade({ time })).toMatchObject({ at })
})

test.each(['', '1.0', '-1', '1e3', '9007199254740992', '99999999999999999', ' 1', null, 5])(
  'parseWholeNumber: returns null when the value is %o',
  (value) => {
    expect(parseWholeNumber(value)).toBeNull()
  },
)

test.each([
  ['0', 0],
  ['007', 7],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
])('parseWholeNumber: reads %s when it is a safe integer', (text, value) => {
  expect(parseWholeNumber(text)).toBe(value)
})

test('quote: truncates the text of an exchange and replaces control characters', () => {
  expect(quote(`a\nb\u202ec\u0007${'x'.repeat(300)}`)).toBe(`a�b�c�${'x'.repeat(194)}`)
  expect([quote(undefined), quote({ a: '\u0000' })]).toEqual(['', '{"a":"\\u0000"}'])
})
