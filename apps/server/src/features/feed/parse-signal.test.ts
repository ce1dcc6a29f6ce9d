import { describe, expect, it } from 'vitest'
import { createPredictedSignal, model, predictAt } from '../../../test/support/outcome-test-bed.ts'
import { getFeedOrigin, parseMessageType, parseSignal } from './parse-signal.ts'

const now = new Date('2026-03-02T14:30:20.500Z')
const parse = (prediction: object, change: object = {}, origin: 'feed' | 'demo' = 'feed') =>
  parseSignal(createPredictedSignal('a', now, change, prediction), now, origin)

describe('parseSignal', () => {
  it.each<[string, object, RegExp]>([
    ['threshold is text', { threshold: '1.4' }, /^prediction\.threshold: .*expected number/],
    ['threshold is 0', { threshold: 0 }, /^prediction\.threshold: /],
    ['threshold is too small', { threshold: 0.000_000_1 }, /^prediction\.threshold: /],
    ['threshold is too large', { threshold: 1e16 }, /^prediction\.threshold: /],
    ['threshold has 13 decimals', { threshold: 0.123_456_789_012_3 }, /threshold has more than .* 12 decimals/],
    ['threshold has 16 digits', { threshold: 123_456_789_012_345.6 }, /threshold has more than 15 significant digits/],
    ['metric is not known', { metric: 'direction' }, /^prediction\.metric: /],
    ['comparison is not known', { comparison: 'lte' }, /^prediction\.comparison: /],
    ['venue has capitals', { venue: 'Binance' }, /^prediction\.venue: Expected 1 to 40 of a-z/],
    ['venue is that of the demo', { venue: 'simulated' }, /Only predictions of the demo/],
    ['market is empty', { market: '' }, /^prediction\.market: /],
    ['market contains NUL', { market: 'BTC\0' }, /^prediction\.market: Not plain text/],
    ['market is a number', { market: 7 }, /^prediction\.market: /],
    ['other market is not needed', { other: { venue: 'okx', market: 'A' } }, /of maxExcursion has another market/],
    ['other market is missing', { metric: 'spread' }, /of spread has no other market/],
    ['other market has a further key', { metric: 'spread', other: { venue: 'okx', market: 'A', b: 1 } }, /other/],
    ['candles are of five minutes', { candleSeconds: 300 }, /^prediction\.candleSeconds: /],
    ['start is within a minute', { startsAt: '2026-03-02T14:30:30.000Z' }, /startsAt is not a whole minute/],
    ['start is before the observation', { startsAt: '2026-03-02T14:30:00.000Z' }, /not 0 to 120 seconds after/],
    ['start is late', { startsAt: '2026-03-02T14:33:00.000Z' }, /not 0 to 120 seconds after/],
    ['start has no milliseconds', { startsAt: '2026-03-02T14:31:00Z' }, /^prediction\.startsAt: Expected a UTC time/],
    ['start does not exist', { startsAt: '2026-02-31T14:31:00.000Z' }, /startsAt is not a UTC time/],
    ['horizon is short', { horizonSeconds: 240 }, /^prediction\.horizonSeconds: /],
    ['horizon is not of whole minutes', { horizonSeconds: 330 }, /^prediction\.horizonSeconds: /],
    ['horizon is long', { horizonSeconds: 21_660 }, /^prediction\.horizonSeconds: /],
    ['resolveBy is early', { resolveBy: '2026-03-02T14:36:59.999Z' }, /resolveBy is not 60 to 3,600 seconds after/],
    ['resolveBy is late', { resolveBy: '2026-03-02T15:36:00.001Z' }, /resolveBy is not 60 to 3,600 seconds after/],
    ['prediction has a further key', { stop: 1 }, /^prediction: .*"stop"/],
  ])('rejects a signal as a whole when its %s', (_, change, reason) => {
    expect(parse(change)).toEqual({ ok: false, reason: expect.stringMatching(reason) })
  })

  it.each<[string, object, RegExp]>([
    ['the model is missing', { model: undefined }, /has a prediction and no model/],
    ['the prediction is missing', { prediction: undefined }, /has a model and no prediction/],
    ['the prediction is null', { prediction: null }, /^prediction: .*expected object/],
    ['the hash has capitals', { model: { ...model, settingsHash: `0x${'AA'.repeat(32)}` } }, /^model\.settingsHash: /],
    ['the name is long', { model: { ...model, name: 'x'.repeat(61) } }, /^model\.name: /],
    ['the name contains NUL', { model: { ...model, name: 'a\0' } }, /^model\.name: Not plain text/],
    ['the version contains NUL', { model: { ...model, version: '1\0' } }, /^model\.version: Not plain text/],
    ['the model has a further key', { model: { ...model, author: 'a' } }, /^model: .*"author"/],
    ['it has a type', { type: 'signal' }, /"type"/],
  ])('rejects a signal when %s', (_, change, reason) => {
    expect(parse({}, change)).toEqual({ ok: false, reason: expect.stringMatching(reason) })
  })

  it.each<[string, object, RegExp]>([
    ['the price is a number', { price: 61_204.11 }, /^price: Expected a decimal above 0 as text/],
    ['the price is NaN', { price: 'NaN' }, /^price: Expected a decimal/],
    ['the price is 0', { price: '0.00' }, /^price: Expected a decimal above 0/],
    ['the price is negative', { price: '-1' }, /^price: Expected a decimal/],
    ['the price has an exponent', { price: '1e308' }, /^price: Expected a decimal/],
    ['the price has 19 digits', { price: `1${'0'.repeat(18)}` }, /^price: Expected a decimal/],
    ['the price has 10 kB', { price: `0.${'1'.repeat(10_000)}` }, /^price: Expected a decimal/],
    ['the price ends with a line break', { price: '1\n' }, /^price: Expected a decimal/],
    ['the price contains a control character', { price: '1\u0000' }, /^price: Expected a decimal/],
    ['the price has other digits', { price: '٣' }, /^price: Expected a decimal/],
    ['the quote contains a control character', { quote: 'USD\u0007' }, /^quote: Expected 1 to 20 of A-Z and 0-9/],
    ['the quote has 10 kB', { quote: 'U'.repeat(10_000) }, /^quote: Expected 1 to 20/],
    ['the venue has capitals', { venue: 'Binance' }, /^venue: Expected 1 to 40 of a-z/],
    ['the venue is not that of the prediction', { venue: 'okx' }, /^venue: Must be the prediction's venue/],
    ['the price is missing', { price: undefined }, /^price: price, quote and venue go together/],
    ['the quote is missing', { quote: undefined }, /^price: price, quote and venue go together/],
    ['the venue is missing', { venue: undefined }, /^price: price, quote and venue go together/],
  ])('rejects a signal as a whole when %s', (_, change, reason) => {
    const price = { price: '61204.11', quote: 'USDT', venue: 'binance' }
    expect(parse({}, { ...price, ...change })).toEqual({ ok: false, reason: expect.stringMatching(reason) })
    expect(parse({}, price)).toMatchObject({ ok: true, signal: price })
  })

  it('returns prediction and model of a valid signal', () => {
    const horizon = { horizonSeconds: 3_600, resolveBy: '2026-03-02T15:46:00.000Z' }
    for (const change of [{}, { threshold: 0.000_001 }, horizon, { venue: 'my-own-venue' }])
      expect(parse(change)).toMatchObject({ ok: true, forecast: { prediction: predictAt(now, change), model } })
    expect(parse({ metric: 'spread', other: { venue: 'okx', market: 'BTC-USDC' } })).toMatchObject({ ok: true })
    expect(parse({ venue: 'simulated' }, {}, getFeedOrigin({ demo: true }))).toMatchObject({ ok: true })
    expect(parse({}, { prediction: undefined, model: undefined })).toMatchObject({ ok: true, forecast: null })
  })
})

describe('parseMessageType', () => {
  it.each<[string, string]>([
    ['{"type":"outcome"}', 'outcome'],
    ['{ "type" : "candles" }', 'candles'],
    ['{"type":"outcomes"}', 'signal'],
    ['{"type":["outcome"]}', 'signal'],
    ['["type","outcome"]', 'signal'],
    ['{"summary":"outcome"}', 'signal'],
    ['{"type"', 'signal'],
    ['null', 'signal'],
  ])('of %s returns %s', (raw, expected) => {
    expect(parseMessageType(raw)).toBe(expected)
  })
})
