import { describe, expect, it } from 'vitest'
import vectors from '../vectors/predictions.json'
import { computeHorizon, parseForecast } from './prediction.ts'

const signal: { prediction: object; model: object; observedAt: string } = JSON.parse(vectors.entries.signalMessage)
const otherMarket = { venue: 'binance', market: 'BTCUSD' }

function parseChanged(prediction: object, signalFields: object = {}) {
  return parseForecast({ ...signal, prediction: { ...signal.prediction, ...prediction }, ...signalFields }, 'feed')
}

function removeField(holder: object, key: string): object {
  return Object.fromEntries(Object.entries(holder).filter(([name]) => name !== key))
}

const missingKeys = Object.keys(signal.prediction)
const refusals: [key: string, values: unknown[], reason: string][] = [
  ['metric', ['profit', '', null, 7, 'MAXEXCURSION'], "The prediction's metric is not one of maxExcursion, volume"],
  ['comparison', ['lte', 'GTE', null], "The prediction's comparison is not gte"],
  ['threshold', ['1.4', null, true], 'The threshold is not a number'],
  ['threshold', [0, -1, 1e16], 'The threshold is not a number from 0.000001'],
  [
    'venue',
    ['', 'Binance', 'a b', 'a'.repeat(41), 'ö', null],
    "The prediction's venue is not 1 to 40 of a-z, 0-9 and -",
  ],
  ['market', ['', 'A'.repeat(41), '\ud800', null, 7], "The prediction's market is not text of 1 to 40 characters"],
  ['other', [otherMarket, null], 'The prediction of maxExcursion has another market'],
  ['candleSeconds', [1, 300, '60', null], "The prediction's candleSeconds is not 60"],
  ['startsAt', ['2026-03-02T14:31:00Z', 1772461860, null], "The prediction's startsAt is not a UTC time"],
  [
    'startsAt',
    ['2026-03-02T14:30:30.000Z', '2026-03-02T14:31:00.001Z'],
    "The prediction's startsAt is not a whole minute",
  ],
  ['startsAt', ['2026-03-02T14:30:00.000Z', '2026-03-02T14:33:00.000Z'], 'startsAt is not 0 to 120 seconds after'],
  [
    'horizonSeconds',
    [240, 301, 21_660, 300.5, '300', 0, -300, null],
    'horizonSeconds is not a multiple of 60 from 300',
  ],
  [
    'resolveBy',
    ['2026-03-02T14:36:59.999Z', '2026-03-02T15:36:00.001Z'],
    "The prediction's resolveBy is not 60 to 3,600",
  ],
  ['resolveBy', ['2026-03-02T14:51Z', null], "The prediction's resolveBy is not a UTC time"],
  ['more', [1], 'The prediction has an unknown key "more"'],
]

describe('parseForecast refuses a signal', () => {
  it.each(refusals.flatMap(([key, values, reason]) => values.map((value) => ({ key, value, reason }))))(
    'whose prediction has $key $value',
    ({ key, value, reason }) => {
      // A later start needs a later resolveBy, so that only one rule is broken.
      const resolveBy = key === 'startsAt' ? { resolveBy: '2026-03-02T14:51:00.000Z' } : {}
      expect(() => parseChanged({ ...resolveBy, [key]: value })).toThrow(reason)
    },
  )

  it.each(missingKeys)('whose prediction has no %s', (key) => {
    const changedSignal = { ...signal, prediction: removeField(signal.prediction, key) }
    expect(() => parseForecast(changedSignal, 'feed')).toThrow(`The prediction has no ${key}`)
  })

  it.each([
    ['no other market', {}, 'The prediction of spread has no other market'],
    ['another market that is text', { other: 'BTCUSD' }, 'The other market is not an object'],
    ['another market that is a list', { other: [] }, 'The other market is not an object'],
    ['another market without venue', { other: { market: 'BTCUSD' } }, 'The other market has no venue'],
    [
      'another market with a key too many',
      { other: { ...otherMarket, a: 1 } },
      'The other market has an unknown key "a"',
    ],
    ['another market of a wrong venue', { other: { ...otherMarket, venue: 'A' } }, "The other market's venue is not"],
    [
      'a horizon over three hours',
      { other: otherMarket, horizonSeconds: 10_860 },
      'a multiple of 60 from 300 to 10800',
    ],
  ])('whose prediction of spread has %s', (_, change, reason) => {
    expect(() => parseChanged({ metric: 'spread', ...change })).toThrow(reason)
  })

  it.each([
    ['null', null, 'The prediction is not an object'],
    ['text', 'up', 'The prediction is not an object'],
    ['a list', [], 'The prediction is not an object'],
  ])('whose prediction is %s', (_, prediction, reason) => {
    expect(() => parseForecast({ ...signal, prediction }, 'feed')).toThrow(reason)
  })

  it.each([
    ['no prediction', removeField(signal, 'prediction'), 'The signal has a model and no prediction'],
    ['no model', removeField(signal, 'model'), 'The signal has a prediction and no model'],
    ['no observedAt', removeField(signal, 'observedAt'), 'startsAt is not 0 to 120 seconds after observedAt'],
    ['an observedAt that is no time', { ...signal, observedAt: 'now' }, 'startsAt is not 0 to 120 seconds'],
    [
      'an observedAt after the start',
      { ...signal, observedAt: '2026-03-02T14:31:00.001Z' },
      'startsAt is not 0 to 120',
    ],
    ['an observedAt too early', { ...signal, observedAt: '2026-03-02T14:28:59.999Z' }, 'startsAt is not 0 to 120'],
  ])('with %s', (_, changedSignal, reason) => {
    expect(() => parseForecast(changedSignal, 'feed')).toThrow(reason)
  })

  it.each([
    ['no name', removeField(signal.model, 'name'), 'The model has no name'],
    ['an unknown key', { ...signal.model, a: 1 }, 'The model has an unknown key "a"'],
    ['an empty name', { ...signal.model, name: '' }, "The model's name is not text of 1 to 60 characters"],
    [
      'a name too long',
      { ...signal.model, name: 'a'.repeat(61) },
      "The model's name is not text of 1 to 60 characters",
    ],
    ['a version as a number', { ...signal.model, version: 1 }, "The model's version is not text of 1 to 40 characters"],
    ['a version too long', { ...signal.model, version: 'a'.repeat(41) }, "The model's version is not text"],
    [
      'a hash in capitals',
      { ...signal.model, settingsHash: `0x${'AB'.repeat(32)}` },
      "The model's settingsHash is not",
    ],
    ['text as its value', 'engine', 'The model is not an object'],
  ])('whose model has %s', (_, model, reason) => {
    expect(() => parseForecast({ ...signal, model }, 'feed')).toThrow(reason)
  })

  it.each([
    ['venue', { venue: 'simulated' }],
    ['other venue', { metric: 'spread', other: { venue: 'simulated', market: 'A' } }],
  ])('of the feed whose %s is simulated', (_, change) => {
    expect(() => parseChanged(change)).toThrow('Only predictions of the demo may name the venue "simulated"')
    const prediction = { ...signal.prediction, ...change }
    expect(parseForecast({ ...signal, prediction }, 'demo')?.prediction).toMatchObject(change)
  })
})

describe('parseForecast', () => {
  it('returns null for a signal without prediction and model', () => {
    expect(parseForecast({ id: 'm7', observedAt: signal.observedAt }, 'feed')).toBeNull()
  })

  it('returns prediction and model', () => {
    const { prediction, model } = signal
    expect(parseForecast(signal, 'feed')).toEqual({ prediction, model })
  })

  it.each([
    ['the earliest start', { startsAt: '2026-03-02T14:31:00.000Z' }, '2026-03-02T14:31:00.000Z'],
    ['the latest start', { startsAt: '2026-03-02T14:31:00.000Z' }, '2026-03-02T14:29:00.000Z'],
    ['an observedAt with a time zone', {}, '2026-03-02T15:30:00.412+01:00'],
    ['the earliest resolveBy', { resolveBy: '2026-03-02T14:37:00.000Z' }, signal.observedAt],
    ['the latest resolveBy', { resolveBy: '2026-03-02T15:36:00.000Z' }, signal.observedAt],
    ['the longest horizon', { horizonSeconds: 21_600, resolveBy: '2026-03-02T21:00:00.000Z' }, signal.observedAt],
    ['an unknown venue', { venue: 'my-exchange-1' }, signal.observedAt],
    ['two markets', { metric: 'spread', other: otherMarket }, signal.observedAt],
  ])('accepts %s', (_, change, observedAt) => {
    const parsedForecast = parseChanged(change, { observedAt })
    expect(parsedForecast?.prediction).toEqual({ ...signal.prediction, ...change })
  })

  it('returns a prediction whose horizon begins at startsAt and ends horizonSeconds later', () => {
    const prediction = parseForecast(signal, 'feed')?.prediction
    expect(prediction && computeHorizon(prediction)).toEqual({ from: 1_772_461_860, until: 1_772_462_160 })
  })
})
