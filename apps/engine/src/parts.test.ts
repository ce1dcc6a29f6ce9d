import type { Prediction } from '@tocsin/engine'
import { expect, test } from 'vitest'
import type { CandleRow } from './candles.ts'
import { createParts } from './parts.ts'

const start = Date.parse('2026-03-02T14:31:00.000Z') / 1_000
const prediction: Prediction = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1.4,
  venue: 'binance',
  market: 'BTCUSDT',
  candleSeconds: 60,
  startsAt: '2026-03-02T14:31:00.000Z',
  horizonSeconds: 300,
  resolveBy: '2026-03-02T14:51:00.000Z',
}
const createRows = (...closes: (string | null)[]) =>
  closes.flatMap((close, index): CandleRow[] =>
    close === null ? [] : [[start - 60 + 60 * index, close, close, close, close, '1']],
  )

test.each<[string, CandleRow[], object]>([
  [
    'one minute is missing',
    createRows('100', '100', null, '101.4', '100', '100'),
    { verdict: 'came-true', measured: '1.4', voidReason: null, missing: [start + 60] },
  ],
  [
    'two minutes are missing',
    createRows('100', '100', null, null, '102', '100'),
    { verdict: 'void', measured: null, voidReason: 'missing-candles', missing: [start + 60, start + 120] },
  ],
])('evaluate: returns the expected verdict and the missing minutes when %s', (_name, candles, expectedVerdict) => {
  expect(createParts(null).evaluate(prediction, candles, null)).toEqual(expectedVerdict)
})

test('evaluate: throws when a candle has a price of 0', () => {
  expect(() => createParts(null).evaluate(prediction, createRows('0'), null)).toThrow(/low price of 0/)
})

test('model: contains a hash of its settings, which changes when a setting changes', () => {
  const [defaultParts, shortHorizonParts] = [createParts(null), createParts(300)]
  expect(JSON.parse(shortHorizonParts.modelSettings)).toMatchObject({ horizonSeconds: 3_600, shortHorizonSeconds: 300 })
  expect(shortHorizonParts.model).toMatchObject({
    name: 'tocsin-engine',
    settingsHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
  expect(shortHorizonParts.model.settingsHash).not.toBe(defaultParts.model.settingsHash)
  expect(createParts(300).model).toEqual(shortHorizonParts.model)
})
