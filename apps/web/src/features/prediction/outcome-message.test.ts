import { hashSignal } from '@tocsin/proof'
import { expect, test } from 'vitest'
import { formatVoidReason, readOutcomeMessage } from './outcome-message.ts'

const startsAt = '2026-03-02T14:31:00.000Z'
const start = Date.parse(startsAt) / 1000
const createCandle = (openTime: number, close: string) => [openTime, '1', '2', '1', close, '3']
const createMessage = (change: object = {}) =>
  JSON.stringify({
    candles: [createCandle(start - 120, '100'), createCandle(start - 60, '61204.110'), createCandle(start, '61300')],
    missing: [],
    voidReason: null,
    ...change,
  })
const readTestMessage = (text: string) => readOutcomeMessage(text, hashSignal(text))

test('readOutcomeMessage: returns null when the hash differs or the message is malformed', () => {
  expect(readOutcomeMessage(createMessage(), hashSignal(createMessage({ missing: [start] })))).toBeNull()
  expect(readTestMessage(createMessage({ candles: 'none' }))).toBeNull()
  expect(readTestMessage('no JSON')).toBeNull()
})

test('readOutcomeMessage: returns the candles without rounding, or null when a price is invalid', () => {
  expect(readTestMessage(createMessage())?.candles.at(-1)).toEqual(createCandle(start, '61300'))
  for (const close of ['-1', '1e3', 'NaN', ''])
    expect(readTestMessage(createMessage({ candles: [createCandle(start, close)] }))).toBeNull()
})

const createMissingMinutes = (...minutes: number[]) =>
  ({ candles: [], voidReason: 'missing-candles', missing: minutes.map((minute) => start + 60 * minute) }) as const

test.each([
  [createMissingMinutes(11, 10, 12), 'Kraken published no candles from 14:41:00 to 14:44:00.'],
  [createMissingMinutes(10), 'Kraken published no candles from 14:41:00 to 14:42:00.'],
  [
    createMissingMinutes(0, 10, 11),
    'Kraken published no candles from 14:31:00 to 14:32:00 and from 14:41:00 to 14:43:00.',
  ],
  [
    createMissingMinutes(0, 2, 4, 6, 8, 10),
    'Kraken published no candles from 14:31:00 to 14:32:00, from 14:33:00 to 14:34:00, from 14:35:00 to 14:36:00, from 14:37:00 to 14:38:00 and in 2 later gaps.',
  ],
  [
    { candles: [], voidReason: 'no-reference', missing: [] },
    'Kraken published no candle in the five minutes before the start.',
  ],
  [null, 'Too few candles were published.'],
] as const)('formatVoidReason: explains %j', (facts, words) => {
  expect(formatVoidReason(facts, 'Kraken')).toBe(words)
})

test('formatVoidReason: formats times in the time zone and hour cycle of the reader', () => {
  const style = { timeZone: 'Europe/Berlin', hourCycle: '12' } as const
  expect(formatVoidReason(createMissingMinutes(10), 'Kraken', style)).toBe(
    'Kraken published no candles from 03:41:00 PM to 03:42:00 PM.',
  )
})
