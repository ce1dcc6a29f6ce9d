import { describe, expect, it } from 'vitest'
import { type Candle, createSeries, equalCandles, getValueAt, parseCandles } from './candles.ts'

const from = 1_772_461_800
const window = { from, until: from + 600 }
const createCandle = (minute: number, close = '100', volume = '1'): Candle => [
  from + 60 * minute,
  '100',
  '102',
  '99',
  close,
  volume,
]
/** A list of one candle with one value replaced. */
const createListWithValue = (valueIndex: number, value: unknown) => [
  createCandle(0).map((old, i) => (i === valueIndex ? value : old)),
]

describe('parseCandles', () => {
  it.each<[name: string, value: unknown, reason: string]>([
    ['no list', { length: 0 }, 'The candles are not a list'],
    ['null', null, 'The candles are not a list'],
    ['a row that is no list', [{}], 'Candle 1 is not a list of six values'],
    ['five values', [createCandle(0).slice(0, 5)], 'Candle 1 is not a list of six values'],
    ['seven values', [[...createCandle(0), '1']], 'Candle 1 is not a list of six values'],
    ['an open time as text', createListWithValue(0, String(from)), 'Candle 1 does not open at a whole minute'],
    ['an open time between minutes', createListWithValue(0, from + 1), 'Candle 1 does not open at a whole minute'],
    ['an open time in milliseconds', createListWithValue(0, from * 1000), 'Candle 1 opens outside the window'],
    ['a negative open time', createListWithValue(0, -60), 'Candle 1 does not open at a whole minute'],
    ['a candle before the window', [createCandle(-1)], 'Candle 1 opens outside the window'],
    ['a candle after the window', [createCandle(0), createCandle(10)], 'Candle 2 opens outside the window'],
    [
      'a candle twice',
      [createCandle(0), createCandle(1), createCandle(1)],
      'Candle 3 does not open after the one before it',
    ],
    ['candles in another order', [createCandle(1), createCandle(0)], 'Candle 2 does not open after the one before it'],
    ['a price as a number', createListWithValue(4, 100), 'Candle 1 has no close that is a decimal'],
    ['a price in exponent form', createListWithValue(1, '1e2'), 'Candle 1 has no open that is a decimal'],
    ['a negative volume', createListWithValue(5, '-1'), 'Candle 1 has no volume that is a decimal'],
    ['a price of 0', [[from, '0', '0', '0.00', '0', '1']], 'Candle 1 has a low price of 0'],
    ['an open above the high', createListWithValue(1, '102.01'), 'Candle 1 opens outside its low and high'],
    ['an open below the low', createListWithValue(1, '98.9'), 'Candle 1 opens outside its low and high'],
    ['a close above the high', createListWithValue(4, '103'), 'Candle 1 closes outside its low and high'],
    ['a close below the low', createListWithValue(4, '9'), 'Candle 1 closes outside its low and high'],
  ])('rejects %s', (_, value, reason) => {
    expect(() => parseCandles(value, window)).toThrow(reason)
  })

  it('accepts missing minutes, equal prices and a volume of 0', () => {
    const rows = [createCandle(0, '102.0'), createCandle(3, '99', '0'), [from + 540, '1', '1.0', '1', '1.00', '0']]
    expect(parseCandles(rows, window)).toEqual(rows)
    expect(parseCandles([], window)).toEqual([])
  })
})

describe('createSeries', () => {
  it('holds one value for each minute', () => {
    const series = createSeries([createCandle(0, '100.5'), createCandle(9, '99')], window, 'close')
    expect(series.values).toHaveLength(10)
    expect(getValueAt(series, from)).toBe(1005n * 10n ** 17n)
    expect(getValueAt(series, from + 60)).toBeUndefined()
    expect(getValueAt(series, from + 540)).toBe(99n * 10n ** 18n)
    expect(getValueAt(series, from - 60)).toBeUndefined()
    expect(getValueAt(series, from + 600)).toBeUndefined()
    expect(getValueAt(createSeries([createCandle(0, '100', '7')], window, 'volume'), from)).toBe(7n * 10n ** 18n)
  })
})

describe('equalCandles', () => {
  it.each([0, 1, 2, 3, 4, 5])('returns false when value %i differs', (at) => {
    const [openTime, open, high, low, close, volume] = createListWithValue(at, at === 0 ? from + 60 : '101.5')[0] ?? []
    const otherCandle = [
      Number(openTime),
      String(open),
      String(high),
      String(low),
      String(close),
      String(volume),
    ] as const
    expect(equalCandles(createCandle(0), otherCandle)).toBe(false)
  })

  it('ignores trailing zeros', () => {
    expect(equalCandles(createCandle(0, '100', '1'), createCandle(0, '100.00', '1.0'))).toBe(true)
  })
})
