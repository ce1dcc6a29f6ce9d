import { describe, expect, it } from 'vitest'
import {
  type AlertPlan,
  createFlatCandle,
  createPrediction,
  createTestRecord,
  getCandles,
  listMembers,
  type TestRecord,
  testModel,
  testStartSeconds,
  toIso,
} from '../../test/support/test-record.ts'
import type { Hex } from '../hex.ts'
import { hashSignal } from '../signal.ts'
import { type CandleSource, getDaySpan } from './candle-source.ts'
import { formatShare } from './percent.ts'
import type { Prediction } from './prediction.ts'
import type { RecordEntry } from './record-entry.ts'
import { computeRecord, type RecordInput, recomputeWithoutArchive } from './track-record.ts'

const hour = 3600
const day = 24 * hour
const NO_MOVE_MINUTE = 60
const asOf = testStartSeconds + 3 * day

function computeTestRecord({ entries, anchors }: TestRecord, overrides: Partial<RecordInput> = {}) {
  return computeRecord({ entries, anchors, publicDelayMs: day * 1000, origin: 'feed', ...overrides })
}

function hideEntry(record: TestRecord, { index, leafHash }: RecordEntry): void {
  record.entries[index] = { index, leafHash, statement: null, message: null }
}

/**
 * An archive in which BTCUSDT is at 102 from 15:01 to 15:30, HALTED has no candles, and all other
 * prices are 100.
 */
const archive: CandleSource = {
  isArchive: true,
  read: ({ market }, ofDay) => {
    const { from } = getDaySpan(ofDay)
    if (market === 'HALTED') return []
    return Array.from({ length: 1440 }, (_, minute) => {
      const openTime = from + 60 * minute
      const isInMove = openTime >= testStartSeconds + 1800 && openTime < testStartSeconds + hour
      return createFlatCandle(openTime, market === 'BTCUSDT' && isInMove ? 102 : 100)
    })
  },
}

/**
 * Creates a record with alerts of every status except `open`, and the statuses that are expected
 * for them.
 */
function createRecordOfAllCases() {
  const record = createTestRecord()
  const { entries } = record
  const appendAlert = (change: Partial<Prediction> = {}, plan: Partial<AlertPlan> = {}) =>
    record.appendAlert(createPrediction(testStartSeconds, change), plan)
  const appendOutcome = (entry: RecordEntry, movesAt: number, change: Partial<Prediction> = {}, more = {}) =>
    record.appendOutcome(entry, getCandles(createPrediction(testStartSeconds, change), movesAt), more)

  const trueAlert = appendAlert()
  const retractedAlert = appendAlert()
  const falseAlerts = [appendAlert({ market: 'FLAT' }), appendAlert({ market: 'FLAT' })]
  const haltedAlert = appendAlert({ market: 'HALTED' })
  const unresolvedAlert = appendAlert()
  const lateResolvedAlert = appendAlert()
  const lateSignedAlert = appendAlert({}, { alert: { createdAt: toIso(testStartSeconds + 1) } })
  const withoutMessage = appendAlert({}, { message: null })
  const wrongAlert = appendAlert()
  const forgedAlert = appendAlert({ market: 'FORGED' })
  const adminAlert = record.appendAlert(null, { alert: { origin: 'admin', signalHash: null } })
  const withheldAlert = appendAlert()
  record.anchor(testStartSeconds + 20)
  const alertAtLimit = appendAlert()
  record.anchor(testStartSeconds + 360)
  const alertAfterLimit = appendAlert()
  record.anchor(testStartSeconds + 361)
  for (const entry of [trueAlert, retractedAlert, lateSignedAlert, alertAtLimit, alertAfterLimit])
    appendOutcome(entry, 30)
  for (const entry of falseAlerts) appendOutcome(entry, NO_MOVE_MINUTE, { market: 'FLAT' })
  record.appendOutcome(haltedAlert, [])
  appendOutcome(lateResolvedAlert, 30, {}, { entry: { createdAt: toIso(testStartSeconds + 4501) } })
  appendOutcome(wrongAlert, 30, {}, { message: { measured: '7' } })
  appendOutcome(forgedAlert, 30, { market: 'FORGED' })
  hideEntry(record, withheldAlert)
  const { leafHash: targetLeafHash, index: targetIndex } = retractedAlert
  if (retractedAlert.statement?.kind !== 'alert') throw new Error('The target is an alert')
  const retraction = { ...retractedAlert.statement, kind: 'retraction' as const, targetIndex, targetLeafHash }
  record.append({ ...retraction, index: entries.length, createdAt: toIso(testStartSeconds + hour) }, null)
  const youngAlert = record.appendAlert(createPrediction(testStartSeconds + 2 * day + hour))
  record.anchor(asOf)
  const expected = {
    [trueAlert.index]: 'true',
    [retractedAlert.index]: 'true',
    [falseAlerts[0]?.index ?? -1]: 'false',
    [falseAlerts[1]?.index ?? -1]: 'false',
    [haltedAlert.index]: 'void',
    [unresolvedAlert.index]: 'overdue',
    [lateResolvedAlert.index]: 'overdue',
    [alertAtLimit.index]: 'true',
    [alertAfterLimit.index]: 'late',
    [lateSignedAlert.index]: 'late',
    [withoutMessage.index]: 'withheld',
    [wrongAlert.index]: 'invalid',
    [forgedAlert.index]: 'disputed',
    [adminAlert.index]: 'no-prediction',
    [youngAlert.index]: 'pending',
    [withheldAlert.index]: 'withheld',
  }
  return {
    record,
    expected,
    hiddenIndex: withheldAlert.index,
    forged: forgedAlert,
    wrong: wrongAlert,
    withoutMessage,
    atLimit: alertAtLimit,
  }
}

describe('computeRecord: the time of an outcome', () => {
  const resolveBy = testStartSeconds + hour + 900

  /**
   * Computes the record of one alert whose outcome is created at `createdAt` and logged between two
   * anchors. The first anchor does not cover the outcome and may be absent; the second one covers
   * it. A second outcome of the alert, created at `restated`, follows.
   */
  function computeSingleAlert(
    createdAt: number,
    anchors: [before: number | null, after: number],
    restated = createdAt,
  ) {
    const record = createTestRecord()
    const alert = record.appendAlert(createPrediction(testStartSeconds))
    record.anchor(testStartSeconds + 20)
    if (anchors[0] !== null) record.anchor(anchors[0])
    record.appendOutcome(alert, getCandles(createPrediction(testStartSeconds), 30), {
      entry: { createdAt: toIso(createdAt) },
    })
    record.anchor(anchors[1])
    record.appendOutcome(alert, getCandles(createPrediction(testStartSeconds), 31), {
      entry: { createdAt: toIso(restated) },
    })
    record.anchor(asOf)
    const { overall, alerts } = computeTestRecord(record)
    const { status, outcome } = alerts[0] ?? {}
    expect(overall.timesNotProven).toBe(outcome?.isTimeProven ? 0 : 1)
    return [status, outcome?.isTimeProven, overall.strict.count]
  }

  it.each<
    [name: string, given: Parameters<typeof computeSingleAlert>, expected: ReturnType<typeof computeSingleAlert>]
  >([
    ['at the deadline, anchored 900 seconds later', [resolveBy, [null, resolveBy + 900]], ['true', true, 1]],
    ['anchored 900.001 seconds later', [resolveBy, [null, resolveBy + 900.001]], ['true', false, 1]],
    ['at the deadline, anchored a day later', [resolveBy, [null, resolveBy + day]], ['true', false, 1]],
    ['60 seconds before the last anchor', [resolveBy, [resolveBy + 60, resolveBy + 70]], ['true', true, 1]],
    ['60.001 seconds before the last anchor', [resolveBy, [resolveBy + 60.001, resolveBy + 70]], ['true', false, 1]],
    ['that is overdue and anchored late', [resolveBy + 1, [null, resolveBy + day]], ['overdue', false, 0]],
    [
      'followed by a second outcome whose time is not proven',
      [resolveBy, [null, resolveBy + 10], resolveBy - 60],
      ['true', true, 1],
    ],
  ])('%s: the arguments %j give the status, proof of time and count %j', (_, computeArgs, expected) => {
    expect(computeSingleAlert(...computeArgs)).toEqual(expected)
  })

  it('is not counted as unproven if its alert has no prediction', () => {
    const record = createTestRecord()
    const { message } = record.appendAlert(createPrediction(testStartSeconds))
    const repeatedAlert = record.appendAlert(createPrediction(testStartSeconds), { message })
    record.anchor(testStartSeconds + 20)
    record.appendOutcome(repeatedAlert, getCandles(createPrediction(testStartSeconds), 30))
    record.anchor(asOf)
    const { overall, alerts } = computeTestRecord(record)
    expect(alerts[1]).toMatchObject({ status: 'no-prediction', outcome: { isTimeProven: false } })
    expect(overall.timesNotProven).toBe(0)
  })
})

describe('computeRecord', () => {
  const { record, expected, hiddenIndex, forged, wrong, withoutMessage, atLimit } = createRecordOfAllCases()

  it('computes the statuses and rates of a log with alerts of every status except open', () => {
    const { alerts, overall, coverage } = computeTestRecord(record, { candles: archive })
    expect(Object.fromEntries(alerts.map(({ index, status }) => [index, status]))).toEqual(expected)
    expect(overall.strict).toEqual({ n: 14, count: 3, rate: 3 / 14 })
    expect(overall.second).toEqual({ n: 13, count: 3, rate: 3 / 13 })
    expect(overall.statuses).toMatchObject({ true: 3, void: 1, overdue: 2, late: 2, withheld: 2, pending: 1, open: 0 })
    expect([overall.strict, overall.second].map(({ count, n }) => formatShare(count, n))).toEqual(['21.4', '23.1'])
    // One of the public alerts of the feed has no message.
    expect(coverage).toEqual({ n: 13, count: 12, rate: 12 / 13 })
  })

  it('counts an invalid prediction as a prediction in the coverage', () => {
    const otherRecord = createTestRecord()
    otherRecord.appendAlert(createPrediction(testStartSeconds, { threshold: 0 }))
    otherRecord.appendAlert(null)
    otherRecord.anchor(asOf)
    expect(computeTestRecord(otherRecord).coverage).toEqual({ n: 2, count: 1, rate: 0.5 })
  })

  it('groups alerts by the hour of the prediction’s start, or of issue or anchor if the start is unknown', () => {
    const hours = new Map(computeTestRecord(record).alerts.map(({ index, hour: found }) => [index, found]))
    const startHour = Math.floor(testStartSeconds / hour)
    expect(hours.get(atLimit.index)).toBe(startHour)
    expect(hours.get(withoutMessage.index)).toBe(startHour)
    expect(hours.get(hiddenIndex)).toBe(startHour)
  })

  it('without an archive, counts a disputed alert by the verdict of its outcome', () => {
    const plainRecord = computeTestRecord(record)
    expect(plainRecord.alerts.find(({ index }) => index === forged.index)?.status).toBe('true')
    expect(plainRecord.overall.strict).toEqual({ n: 14, count: 4, rate: 4 / 14 })
    const serverRecord = computeTestRecord(record, { candles: { ...archive, isArchive: false } })
    expect(serverRecord.overall.strict).toEqual(plainRecord.overall.strict)
    expect(serverRecord.alerts.find(({ index }) => index === forged.index)?.outcome?.comparison).toBe('other-verdict')
    const archiveRecord = computeTestRecord(record, { candles: archive })
    expect(recomputeWithoutArchive(archiveRecord).overall).toEqual(serverRecord.overall)
    expect(recomputeWithoutArchive(archiveRecord).by).toEqual(serverRecord.by)
  })

  it('states why an alert is withheld or invalid', () => {
    const problems = new Map(
      computeTestRecord(record).alerts.map(({ index, problem, outcome }) => [index, problem ?? outcome?.problem]),
    )
    expect(problems.get(withoutMessage.index)).toBe('The signal message is missing')
    expect(problems.get(wrong.index)).toContain("The message's measured does not follow from its candles")
  })

  it('counts only entries that the last anchor covers', () => {
    const anchors = record.anchors.slice(0, 2)
    const { alerts, asOf: last } = computeTestRecord(record, { anchors, publicDelayMs: 0 })
    expect(last).toEqual(anchors[1])
    expect(alerts.map(({ index }) => index)).toEqual(Array.from({ length: atLimit.index + 1 }, (_, index) => index))
    expect(() => computeTestRecord(record, { anchors: [] })).toThrow('The record needs at least one anchor')
  })

  it('returns the same figures whether or not the content of recent alerts is known', () => {
    const firstYoungIndex = record.entries.length - 1
    const entries = record.entries.map((entry) =>
      entry.index >= firstYoungIndex ? { ...entry, statement: null, message: null } : entry,
    )
    expect(computeTestRecord(record, { entries }).overall).toEqual(computeTestRecord(record).overall)
  })

  it('accepts another hash function', () => {
    const seenIndexes: number[] = []
    const hashMessage = (message: string): Hex => {
      seenIndexes.push(message.length)
      return hashSignal(message)
    }
    expect(computeTestRecord(record, { hashMessage }).overall).toEqual(computeTestRecord(record).overall)
    expect(seenIndexes.length).toBeGreaterThan(20)
  })
})

describe('computeRecord tables', () => {
  const record = createTestRecord()
  const models = [testModel, { ...testModel, version: '2' }]
  const plans = [
    { asset: 'BTC/USDT', anomalyType: 'Price move', priority: 'high', regime: 'Calm' },
    { asset: 'ETH/USDT', anomalyType: 'Volume spike', priority: 'low', regime: 'Calm' },
    { asset: 'BTC/USDT', anomalyType: 'Volume spike', priority: 'low', regime: 'Turbulent' },
  ] as const
  const month = 31 * day
  const addedAlerts = plans.map((alert, index) => {
    const prediction = createPrediction(testStartSeconds + (index === 2 ? month : 0), { market: `M${index}` })
    return { prediction, entry: record.appendAlert(prediction, { alert, model: models[index % 2] ?? testModel }) }
  })
  record.anchor(testStartSeconds)
  for (const { entry, prediction } of addedAlerts) record.appendOutcome(entry, getCandles(prediction, 30))
  record.appendAlert(null, { alert: { origin: 'admin', signalHash: null, asset: 'X' } })
  record.anchor(testStartSeconds + month + 3 * day)
  const wholeRecord = computeTestRecord(record)
  const { by, overall } = wholeRecord

  it('have a row for each value, with its alerts', () => {
    const listRowMembers = (name: keyof typeof by) =>
      by[name].map(({ key }) => [key, listMembers(wholeRecord, name, key)])
    expect(listRowMembers('type')).toEqual([
      ['Price move', [0]],
      ['Volume spike', [1, 2]],
    ])
    expect(listRowMembers('asset')).toEqual([
      ['BTC/USDT', [0, 2]],
      ['ETH/USDT', [1]],
    ])
    expect(listRowMembers('priority')).toEqual([
      ['high', [0]],
      ['low', [1, 2]],
    ])
    expect(listRowMembers('regime')).toEqual([
      ['Calm', [0, 1]],
      ['Turbulent', [2]],
    ])
    expect(listRowMembers('model')).toEqual([
      [models[0], [0, 2]],
      [models[1], [1]],
    ])
    expect(listRowMembers('month')).toEqual([
      ['2026-03', [0, 1]],
      ['2026-04', [2]],
    ])
  })

  it('have rows whose numbers of alerts add up to the overall number', () => {
    expect(by.type.map(({ figures }) => figures.strict.count)).toEqual([1, 2])
    expect(overall.statuses).toMatchObject({ true: 3, 'no-prediction': 1 })
    for (const rows of Object.values(by)) {
      expect(rows.reduce((sum, { figures }) => sum + figures.strict.n, 0)).toBe(overall.strict.n)
    }
  })
})
