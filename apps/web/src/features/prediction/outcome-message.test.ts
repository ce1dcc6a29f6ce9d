import { hashSignal } from '@tocsin/proof'
import { expect, test } from 'vitest'
import { readOutcomeMessage, voidWords } from './outcome-message.ts'

const startsAt = '2026-03-02T14:31:00.000Z'
const start = Date.parse(startsAt) / 1000
const candle = (openTime: number, close: string) => [openTime, '1', '2', '1', close, '3']
const message = (change: object = {}) =>
  JSON.stringify({
    candles: [candle(start - 120, '100'), candle(start - 60, '61204.110'), candle(start, '61300')],
    missing: [],
    voidReason: null,
    ...change,
  })
const read = (text: string) => readOutcomeMessage(text, hashSignal(text), startsAt)

test('readOutcomeMessage: is null for another message or a malformed one', () => {
  expect(readOutcomeMessage(message(), hashSignal(message({ missing: [start] })), startsAt)).toBeNull()
  expect(read(message({ candles: 'none' }))).toBeNull()
})

test('readOutcomeMessage: takes the reference from the last candle before the start, digit for digit', () => {
  expect(read(message())).toEqual({ reference: '61204.110', voidReason: null, missing: [] })
  expect(read(message({ candles: [candle(start, '61300')] }))?.reference).toBeNull()
})

test.each([
  [
    { reference: null, voidReason: 'missing-candles', missing: [1, 2] },
    'Kraken published no candles for 2 minutes of the horizon.',
  ],
  [
    { reference: null, voidReason: 'missing-candles', missing: [1] },
    'Kraken published no candles for 1 minute of the horizon.',
  ],
  [
    { reference: null, voidReason: 'no-reference', missing: [] },
    'Kraken published no candle in the five minutes before the start.',
  ],
  [null, 'Too few candles were published.'],
] as const)('voidWords: %j', (facts, words) => {
  expect(voidWords(facts, 'Kraken')).toBe(words)
})
