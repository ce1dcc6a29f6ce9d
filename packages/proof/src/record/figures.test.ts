import { describe, expect, it } from 'vitest'
import { createPrediction, createTestRecord, testModel, testStartSeconds } from '../../test/support/test-record.ts'
import type { AlertStatus } from './alert-status.ts'
import type { ControlRate } from './control-rates.ts'
import { createFigures } from './figures.ts'
import { computeClusteredRate, wilsonInterval } from './intervals.ts'
import type { RecordAlert } from './record-alert.ts'
import { createCalibration, resolvedBeforeCalibration } from './record-calibration.ts'
import { readRecord } from './record-reader.ts'

/** An alert of the feed as the reader returns it. */
const [plainAlert] = (() => {
  const record = createTestRecord()
  const entry = record.appendAlert(createPrediction(testStartSeconds))
  record.anchor(testStartSeconds + 10)
  record.anchor(testStartSeconds + 86_400)
  return readRecord([entry], { anchors: record.anchors, publicDelayMs: 0, origin: 'feed' })
})()
if (!plainAlert?.statement || !plainAlert.forecast) throw new Error('The reader returns the alert')
const { statement, forecast } = plainAlert

function getAlert(status: AlertStatus, index: number, change: Partial<RecordAlert> = {}): RecordAlert {
  return { ...plainAlert, statement, forecast, status, index, leafHash: '0x', ...change } as RecordAlert
}

const noRates = new Map()

function summarize(alerts: readonly RecordAlert[], controlRates: ReadonlyMap<number, ControlRate>) {
  const figures = createFigures()
  for (const alert of alerts) figures.add(alert, controlRates.get(alert.index))
  return figures.finish()
}

function calibrateRecord(alerts: readonly RecordAlert[]) {
  const calibration = createCalibration()
  for (const alert of alerts) calibration.add(alert)
  return calibration.finish()
}

describe('createFigures', () => {
  it('has no rates, intervals or means without counted alerts', () => {
    const figures = summarize(
      [getAlert('open', 0), getAlert('pending', 1, { statement: null, forecast: null })],
      noRates,
    )
    expect(figures).toMatchObject({
      strict: { n: 0, count: 0, rate: null },
      second: { n: 0, rate: null },
      interval: null,
      baseRate: null,
      lift: null,
      meanConfidence: null,
      alertsPerAssetDay: null,
    })
    expect(figures.statuses).toMatchObject({ open: 1, pending: 1, true: 0 })
  })

  it('computes the interval from clusters of alerts of the same hour', () => {
    const alerts = Array.from({ length: 20 }, (_, index) =>
      getAlert(index < 8 || index % 4 === 0 ? 'true' : 'overdue', index, { hour: index < 10 ? 0 : index }),
    )
    const clusters = computeClusteredRate(
      alerts.map(({ hour, status }) => ({ group: hour, isTrue: status === 'true' })),
    )
    expect(clusters.designEffect).toBeGreaterThan(1.5)
    const { designEffect, effectiveN, interval } = summarize(alerts, noRates)
    expect({ designEffect, effectiveN, interval }).toEqual({
      designEffect: clusters.designEffect,
      effectiveN: clusters.effectiveN,
      interval: clusters.interval,
    })
  })

  it('counts a witnessed alert only if its status is true, false or void', () => {
    const statuses: AlertStatus[] = ['true', 'false', 'void', 'late', 'overdue', 'disputed', 'open']
    const alerts = statuses.map((status, index) => getAlert(status, index, { isWitnessed: true }))
    expect(summarize(alerts, noRates).witnessed).toEqual({ n: 6, count: 3, rate: 0.5 })
    const unwitnessedAlerts = alerts.map((alert) => ({ ...alert, isWitnessed: false }))
    expect(summarize(unwitnessedAlerts, noRates).witnessed.count).toBe(0)
  })

  it('counts only the first alert of each episode in the rate of episodes', () => {
    const alerts = [true, false, true].map((isFirstOfEpisode, index) => getAlert('true', index, { isFirstOfEpisode }))
    expect(summarize([...alerts, getAlert('void', 3), getAlert('open', 4)], noRates).episodes).toEqual({
      n: 3,
      count: 2,
      rate: 2 / 3,
    })
  })

  it('averages the control rates of counted alerts, and divides rate and interval by the mean', () => {
    const alerts = [getAlert('true', 0), getAlert('false', 1), getAlert('withheld', 2), getAlert('open', 3)]
    const rates = new Map([
      [0, { minutes: 20, cameTrue: 3 }],
      [1, { minutes: 10, cameTrue: 1 }],
      [3, { minutes: 20, cameTrue: 20 }],
    ])
    const { baseRate, withoutControls, lift, interval } = summarize(alerts, rates)
    expect(baseRate).toBeCloseTo(0.125, 12)
    expect(withoutControls).toBe(1)
    expect(lift?.lift).toBeCloseTo(1 / 3 / 0.125, 12)
    expect(interval).toEqual(wilsonInterval(1, 3))
    expect(lift?.low).toBeCloseTo((interval?.[0] ?? 0) / 0.125, 12)
    expect(lift?.high).toBeCloseTo((interval?.[1] ?? 0) / 0.125, 12)
  })

  it('lists venues without a known archive, including those of open alerts', () => {
    const createOnVenue = (venue: string, other?: string) => ({
      forecast: {
        ...forecast,
        prediction: { ...forecast.prediction, venue, ...(other ? { other: { venue: other, market: 'A' } } : {}) },
      },
    })
    const alerts = [
      getAlert('true', 0),
      getAlert('open', 1, createOnVenue('zeta')),
      getAlert('true', 2, createOnVenue('okx', 'alpha')),
    ]
    expect(summarize(alerts, noRates).unknownVenues).toEqual(['alpha', 'zeta'])
  })

  it('averages the confidence, and the number of alerts per asset and day', () => {
    const day = 86_400_000
    const createIssued = (asset: string, confidence: number, days: number) => ({
      statement: { ...statement, asset, confidence },
      createdMs: plainAlert.createdMs + days * day,
    })
    const alerts = [
      getAlert('true', 0, createIssued('A', 40, 0)),
      getAlert('false', 1, createIssued('B', 60, 3)),
      getAlert('overdue', 2, createIssued('A', 80, 1)),
      getAlert('withheld', 3, { statement: null, forecast: null, createdMs: 0 }),
      getAlert('no-prediction', 4, createIssued('C', 1, 9)),
    ]
    expect(summarize(alerts, noRates)).toMatchObject({ meanConfidence: 60, alertsPerAssetDay: 3 / 8 })
  })
})

describe('createCalibration', () => {
  const minute = 60_000
  /** Creates alerts at indexes 0, 2, 4, …, each with an outcome entry that follows it. */
  function createAlternating(
    count: number,
    change: (index: number) => Partial<RecordAlert> = () => ({}),
  ): RecordAlert[] {
    return Array.from({ length: count }, (_, position) => {
      const index = 2 * position
      const verdict = position % 3 === 0 ? ('came-true' as const) : ('did-not' as const)
      const outcome = {
        index: index + 1,
        createdMs: (index + 1) * minute,
        verdict,
        measured: '1',
        problem: null,
        isTimeProven: true,
        comparison: null,
      }
      const createdAt = new Date(index * minute).toISOString()
      return getAlert(verdict === 'came-true' ? 'true' : 'false', index, {
        statement: { ...statement, createdAt, confidence: 30 },
        createdMs: index * minute,
        outcome,
        ...change(index),
      })
    })
  }

  it('leaves out alerts before 150 of the same model and type are resolved', () => {
    const { n, leftOut, resolved, bins } = calibrateRecord(createAlternating(160))
    expect({ n, leftOut }).toEqual({ n: 160 - resolvedBeforeCalibration, leftOut: resolvedBeforeCalibration })
    expect(resolved).toEqual([{ model: 'engine', anomalyType: 'Price move', resolved: 160 }])
    expect(bins).toMatchObject([{ from: 30, n: 10 }])
    expect(calibrateRecord(createAlternating(150))).toMatchObject({ n: 0, leftOut: 150, brier: null })
  })

  it('counts models by name and not by version, and each type separately', () => {
    const createModelFields = (name: string) => ({
      forecast: { ...forecast, model: { ...testModel, name, version: name } },
    })
    const alertsOfTwoModels = createAlternating(200, (index) => createModelFields(index % 4 === 0 ? 'a' : 'b'))
    expect(calibrateRecord(alertsOfTwoModels)).toMatchObject({ n: 0, resolved: [{ resolved: 100 }, { resolved: 100 }] })
    const createVersionFields = (index: number) => ({
      forecast: { ...forecast, model: { ...testModel, version: `${index % 4}` } },
    })
    expect(calibrateRecord(createAlternating(200, createVersionFields)).n).toBe(50)
    const createTypeFields = (index: number) => ({ statement: { ...statement, anomalyType: `${index % 4}` } })
    expect(calibrateRecord(createAlternating(200, createTypeFields)).n).toBe(0)
  })

  it('counts only outcomes that were logged before the alert', () => {
    const createLateOutcome = (index: number) => (index === 0 ? { outcome: { ...plainOutcome, index: 305 } } : {})
    const plainOutcome = {
      createdMs: 0,
      verdict: 'did-not' as const,
      measured: '1',
      problem: null,
      isTimeProven: true,
      comparison: null,
    }
    // An alert counts if at least 150 outcomes precede it in the log. Of 153 alerts, these are the
    // alerts at indexes 300, 302 and 304. If the outcome of alert 0 is the last entry, only 302 and
    // 304 count.
    expect(calibrateRecord(createAlternating(153, createLateOutcome)).n).toBe(2)
    expect(calibrateRecord(createAlternating(153)).n).toBe(3)
  })

  it('counts overdue and late alerts as not true, and excludes void, withheld and open alerts', () => {
    const specialAlerts: Record<number, Partial<RecordAlert>> = {
      300: { status: 'void' },
      302: { status: 'overdue', outcome: null },
      304: { status: 'late' },
      306: { status: 'withheld', forecast: null },
      308: { status: 'open' },
    }
    const { n, leftOut, bins } = calibrateRecord(createAlternating(155, (index) => specialAlerts[index] ?? {}))
    expect({ n, leftOut }).toEqual({ n: 2, leftOut: 151 })
    expect(bins).toMatchObject([{ from: 30, n: 2, cameTrue: 0 }])
  })

  it('computes the reference Brier score from the rate of earlier alerts in the set', () => {
    // The reference forecast is (k + 1) / (n + 2) if k of n earlier alerts in the set came true:
    // 1/2 for the first alert (n = 0), and 2/3 for the second one (n = 1, k = 1).
    const { referenceBrier } = calibrateRecord(createAlternating(152))
    expect(referenceBrier).toBeCloseTo(((0.5 - 1) ** 2 + (2 / 3) ** 2) / 2, 12)
  })
})
