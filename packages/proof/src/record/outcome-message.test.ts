import { describe, expect, it } from 'vitest'
import { hashSignal } from '../signal.ts'
import vectors from '../vectors/predictions.json'
import { assertHorizonOver, evaluateOutcomeMessage, type PredictedSignal } from './outcome-message.ts'
import type { Forecast, Prediction } from './prediction.ts'
import { readSignalMessage } from './signal-message.ts'

const { signalMessage, outcomeMessage } = vectors.entries
const { id, forecast } = readSignalMessage(signalMessage, 'feed')
if (!forecast) throw new Error('The vector has a prediction')
const { prediction }: Forecast = forecast
const signal: PredictedSignal = { id, hash: hashSignal(signalMessage), prediction }
const message: { candles: unknown[][]; [key: string]: unknown } = JSON.parse(outcomeMessage)
const start = 1_772_461_860

const evaluateChanged = (change: object, predictionChange: Partial<Prediction> = {}) =>
  evaluateOutcomeMessage(JSON.stringify({ ...message, ...change }), {
    ...signal,
    prediction: { ...prediction, ...predictionChange },
  })

describe('evaluateOutcomeMessage refuses', () => {
  it.each<[name: string, change: object, reason: string]>([
    ['another type', { type: 'signal' }, "The message's type is not outcome"],
    ['another id', { id: 'm8' }, "The message's id is not that of the signal"],
    ['another signal', { signalHash: `0x${'ab'.repeat(32)}` }, "The message's signalHash is not that of the signal"],
    ['a signal hash in capitals', { signalHash: signal.hash.toUpperCase() }, "The message's signalHash is not"],
    ['another verdict', { verdict: 'did-not' }, 'verdict does not follow from its candles, which give came-true'],
    ['a void verdict', { verdict: 'void', measured: null }, 'measured does not follow from its candles'],
    ['another value', { measured: '1.46' }, 'measured does not follow from its candles, which give 1.460457475813'],
    ['a value as a number', { measured: 1.460457475813 }, 'measured does not follow'],
    ['a voidReason when not void', { voidReason: 'missing-candles' }, 'voidReason does not follow from its candles'],
    ['a present minute listed as missing', { missing: [start] }, "The message's missing does not list exactly"],
    [
      'another missing minute',
      { candles: message.candles.slice(0, -1), missing: [start] },
      "The message's missing does not list exactly",
    ],
    ['no list of missing minutes', { missing: null }, "The message's missing does not list exactly"],
    ['a candle left out', { candles: message.candles.slice(0, -1) }, "The message's missing does not list exactly"],
    ['a candle twice', { candles: [...message.candles, message.candles[5]] }, 'Candle 7 does not open after the one'],
    ['a candle before the window', { candles: [[start - 360, '1', '1', '1', '1', '1']] }, 'opens outside the window'],
    ['candles as text', { candles: '[]' }, 'The candles are not a list'],
    ['a note too long', { note: 'a'.repeat(201) }, "The message's note is not text of up to 200 characters"],
    ['a note that is null', { note: null }, "The message's note is not text"],
    ['an unknown key', { more: 1 }, 'The message has an unknown key "more"'],
    ['candles of another market', { otherCandles: [] }, 'has an unknown key "otherCandles"'],
  ])('%s', (_, change, reason) => {
    expect(() => evaluateChanged(change)).toThrow(reason)
  })

  const list = JSON.stringify(message.candles)
  const escapedKey = '"candle\\u0073":null'
  const withOtherObject = outcomeMessage.replace(`"candles":${list}`, `"note":{"candles":${list}},${escapedKey}`)
  it.each([
    ['a later key that means the same', outcomeMessage.replace(/\}$/, `,${escapedKey}}`)],
    ['candles of another object', withOtherObject],
  ])('a message whose candles are replaced by %s', (_, text) => {
    expect(text).toContain(list)
    expect(JSON.parse(text)).toEqual({ ...message, candles: null })
    expect(() => evaluateOutcomeMessage(text, signal)).toThrow('The candles are not a list')
  })

  it.each(Object.keys(message))('a message without %s', (key) => {
    expect(() => evaluateChanged({ [key]: undefined })).toThrow(`The message has no ${key}`)
  })

  it.each(['', '{', 'null', '7', '[]', '"outcome"', `${outcomeMessage}x`])(
    'the text %j, which is not a JSON object',
    (text) => {
      expect(() => evaluateOutcomeMessage(text, signal)).toThrow('The message is not an object')
    },
  )

  it.each([
    ['in bytes', '€'.repeat(30_000)],
    ['in characters', 'a'.repeat(65_536)],
  ])('a message above 64 KiB %s', (_, note) => {
    expect(() => evaluateChanged({ note })).toThrow('The message is above 64 KiB')
  })

  it('a message of spread without candles of the other market', () => {
    const otherMarket = { venue: 'okx', market: 'BTC-USDT' }
    expect(() => evaluateChanged({}, { metric: 'spread', other: otherMarket })).toThrow(
      'The message has no otherCandles',
    )
  })
})

describe('evaluateOutcomeMessage', () => {
  it('accepts a note of 200 characters', () => {
    expect(evaluateChanged({ note: 'ä'.repeat(200) }).result.verdict).toBe('came-true')
  })

  it.each(['a "quoted" text', '{}'])('accepts the note %j', (note) => {
    expect(evaluateChanged({ note }).result.verdict).toBe('came-true')
  })

  it('accepts the message of the published test vectors', () => {
    const { result, candles } = evaluateOutcomeMessage(outcomeMessage, signal)
    expect(result).toEqual({ verdict: 'came-true', measured: '1.460457475813', voidReason: null })
    expect(candles).toEqual({ market: message.candles, other: null })
  })

  it.each(vectors.measure)(
    'accepts an outcome message with the candles and result of test vector $name',
    ({ candles, otherCandles, prediction: of, ...expected }) => {
      const { verdict, measured, voidReason, says } = expected
      const openTimesByMarket = [candles, otherCandles ?? candles].map(
        (rows) => new Set(rows.map(([openTime]) => openTime)),
      )
      const missing = []
      for (let minute = start; minute < start + of.horizonSeconds; minute += 60) {
        if (!openTimesByMarket.every((minutes) => minutes.has(minute))) missing.push(minute)
      }
      const otherCandleFields = otherCandles ? { otherCandles } : {}
      const changedMessage = { candles, ...otherCandleFields, missing, verdict, measured, voidReason, note: says }
      expect(evaluateChanged(changedMessage, of as Prediction).result).toEqual({ verdict, measured, voidReason })
    },
  )
})

describe('assertHorizonOver', () => {
  it('rejects a time before the end of the horizon', () => {
    const horizonEndMs = Date.parse('2026-03-02T14:36:00.000Z')
    expect(() => assertHorizonOver(prediction, horizonEndMs - 1)).toThrow('not end before 2026-03-02T14:36:00.000Z')
    expect(() => assertHorizonOver(prediction, horizonEndMs)).not.toThrow()
  })
})

describe('readSignalMessage', () => {
  it('throws when the prediction is invalid', () => {
    expect(() => readSignalMessage(signalMessage.replace('1.4', '"1.4"'), 'feed')).toThrow('not a number')
  })

  it.each(['', 'null', '7', '[]', '{"id":7}', '{"id":"a"}'])('finds no prediction in %j', (text) => {
    expect(readSignalMessage(text, 'feed').forecast).toBeNull()
  })

  it('returns id and forecast', () => {
    expect(readSignalMessage(signalMessage, 'feed')).toMatchObject({ id: 'm7-0193f', forecast: { prediction } })
  })
})
