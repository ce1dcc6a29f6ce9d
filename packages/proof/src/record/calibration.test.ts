import { describe, expect, it } from 'vitest'
import vectors from '../vectors/predictions.json'
import { type Calibration, calibrate, listReferenceForecasts } from './calibration.ts'

const { rows, certain, ...whole } = vectors.calibration
const figures = ['n', 'brier', 'referenceBrier', 'skill', 'ece', 'spiegelhalterZ'] as const

function expectClose(calibration: Calibration, expected: typeof certain | typeof whole) {
  for (const figure of figures) {
    const value = expected[figure]
    if (value === null) expect(calibration[figure]).toBeNull()
    else expect(calibration[figure]).toBeCloseTo(value, 9)
  }
  expect(calibration.bins).toHaveLength(expected.bins.length)
  for (const [at, bin] of expected.bins.entries()) {
    const foundBin = calibration.bins[at]
    expect([foundBin?.from, foundBin?.n]).toEqual([bin.from, bin.n])
    expect(foundBin?.shown).toBeCloseTo(bin.shown, 9)
    expect(foundBin?.cameTrue).toBeCloseTo(bin.cameTrue, 9)
    for (const [side, bound] of bin.chanceBand.entries()) expect(foundBin?.chanceBand[side]).toBeCloseTo(bound, 9)
  }
}

describe('calibrate', () => {
  it('returns the figures of the published test vectors', () => {
    const forecasts = rows.map(([confidence = 0, y, referenceForecast = 0]) => ({
      confidence,
      isTrue: y === 1,
      referenceForecast,
    }))
    const calibration = calibrate(forecasts)
    expectClose(calibration, whole)
    const scores = [
      calibration.brier,
      calibration.referenceBrier,
      calibration.skill,
      calibration.ece,
      calibration.spiegelhalterZ,
    ]
    expect(scores.map((value) => value?.toFixed(4))).toEqual(['0.1540', '0.2746', '0.4390', '0.0450', '-0.4939'])
  })

  it('has no Spiegelhalter z when each forecast is 0 or 100 percent', () => {
    const forecasts = [
      { confidence: 100, isTrue: true, referenceForecast: 0.5 },
      { confidence: 100, isTrue: true, referenceForecast: 0.5 },
      { confidence: 0, isTrue: false, referenceForecast: 0.5 },
    ]
    expectClose(calibrate(forecasts), certain)
  })

  it.each([
    [9.9, 0],
    [10, 10],
    [28.9, 20],
    [29, 20],
    [90, 90],
    [100, 90],
  ])('puts %d percent into the bin from %i', (confidence, from) => {
    expect(calibrate([{ confidence, isTrue: true, referenceForecast: 0.5 }]).bins).toMatchObject([{ from, n: 1 }])
  })

  it('has no figures without forecasts', () => {
    expect(calibrate([])).toMatchObject({ n: 0, brier: null, ece: null, bins: [] })
  })
})

describe('listReferenceForecasts', () => {
  it('returns the forecasts of the published test vectors', () => {
    const results = rows.map(([, y], index) => ({
      type: 'price',
      createdMs: 3_600_000 * index,
      resolvedMs: 3_600_000 * index + 3_900_000,
      isTrue: y === 1,
    }))
    const expected = rows.map(([, , reference]) => reference)
    expect(listReferenceForecasts(results)).toEqual(expected)
  })

  it('counts for each alert only alerts of the same type that were resolved before its issue, in any order of resolution', () => {
    const createAlert = (type: string, createdMs: number, resolvedMs: number | null, isTrue = true) => ({
      type,
      createdMs,
      resolvedMs,
      isTrue,
    })
    const results = [
      createAlert('a', 0, 30),
      createAlert('a', 5, 20, false),
      createAlert('b', 6, 10),
      createAlert('a', 7, null),
      createAlert('a', 20, 50),
      createAlert('a', 30, 60),
      createAlert('a', 31, 60),
    ]
    expect(listReferenceForecasts(results)).toEqual([1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 3, 2 / 4])
  })
})
