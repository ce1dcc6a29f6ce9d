import { describe, expect, it } from 'vitest'
import {
  type AlertPlan,
  createTestRecord,
  flatCandle,
  getCandles,
  listMembers,
  predict,
  type TestRecord,
  testModel,
  testStart,
  toIso,
} from '../../test/support/test-record.ts'
import type { Hex } from '../hex.ts'
import { hashSignal } from '../signal.ts'
import { type CandleSource, spanOfDay } from './candle-source.ts'
import { formatShare } from './percent.ts'
import type { Prediction } from './prediction.ts'
import type { RecordEntry } from './record-entry.ts'
import { computeRecord, type RecordInput, withoutArchive } from './track-record.ts'

const hour = 3600
const day = 24 * hour
const never = 60
const asOf = testStart + 3 * day

function compute({ entries, anchors }: TestRecord, more: Partial<RecordInput> = {}) {
  return computeRecord({ entries, anchors, publicDelayMs: day * 1000, origin: 'feed', ...more })
}

function hide(record: TestRecord, { index, leafHash }: RecordEntry): void {
  record.entries[index] = { index, leafHash, statement: null, message: null }
}

/**
 * An archive in which BTCUSDT is at 102 from 15:01 to 15:30, HALTED has no candles, and all other
 * prices are 100.
 */
const archive: CandleSource = {
  isArchive: true,
  read: ({ market }, ofDay) => {
    const { from } = spanOfDay(ofDay)
    if (market === 'HALTED') return []
    return Array.from({ length: 1440 }, (_, minute) => {
      const openTime = from + 60 * minute
      const isMove = openTime >= testStart + 1800 && openTime < testStart + hour
      return flatCandle(openTime, market === 'BTCUSDT' && isMove ? 102 : 100)
    })
  },
}

/**
 * Creates a record with alerts of every status except `open`, and the statuses that are expected
 * for them.
 */
function createE12() {
  const record = createTestRecord()
  const { entries } = record
  const alert = (change: Partial<Prediction> = {}, plan: Partial<AlertPlan> = {}) =>
    record.appendAlert(predict(testStart, change), plan)
  const resolve = (entry: RecordEntry, movesAt: number, change: Partial<Prediction> = {}, more = {}) =>
    record.appendOutcome(entry, getCandles(predict(testStart, change), movesAt), more)

  const cameTrue = alert()
  const retracted = alert()
  const didNot = [alert({ market: 'FLAT' }), alert({ market: 'FLAT' })]
  const halted = alert({ market: 'HALTED' })
  const unresolved = alert()
  const resolvedLate = alert()
  const signedLate = alert({}, { alert: { createdAt: toIso(testStart + 1) } })
  const withoutMessage = alert({}, { message: null })
  const wrong = alert()
  const forged = alert({ market: 'FORGED' })
  const byAccount = record.appendAlert(null, { alert: { origin: 'admin', signalHash: null } })
  const withheld = alert()
  record.anchor(testStart + 20)
  const atLimit = alert()
  record.anchor(testStart + 360)
  const afterLimit = alert()
  record.anchor(testStart + 361)
  for (const entry of [cameTrue, retracted, signedLate, atLimit, afterLimit]) resolve(entry, 30)
  for (const entry of didNot) resolve(entry, never, { market: 'FLAT' })
  record.appendOutcome(halted, [])
  resolve(resolvedLate, 30, {}, { entry: { createdAt: toIso(testStart + 4501) } })
  resolve(wrong, 30, {}, { message: { measured: '7' } })
  resolve(forged, 30, { market: 'FORGED' })
  hide(record, withheld)
  const { leafHash: targetLeafHash, index: targetIndex } = retracted
  if (retracted.statement?.kind !== 'alert') throw new Error('The target is an alert')
  const retraction = { ...retracted.statement, kind: 'retraction' as const, targetIndex, targetLeafHash }
  record.append({ ...retraction, index: entries.length, createdAt: toIso(testStart + hour) }, null)
  const young = record.appendAlert(predict(testStart + 2 * day + hour))
  record.anchor(asOf)
  const expected = {
    [cameTrue.index]: 'true',
    [retracted.index]: 'true',
    [didNot[0]?.index ?? -1]: 'false',
    [didNot[1]?.index ?? -1]: 'false',
    [halted.index]: 'void',
    [unresolved.index]: 'overdue',
    [resolvedLate.index]: 'overdue',
    [atLimit.index]: 'true',
    [afterLimit.index]: 'late',
    [signedLate.index]: 'late',
    [withoutMessage.index]: 'withheld',
    [wrong.index]: 'invalid',
    [forged.index]: 'disputed',
    [byAccount.index]: 'no-prediction',
    [young.index]: 'pending',
    [withheld.index]: 'withheld',
  }
  return { record, expected, hiddenIndex: withheld.index, forged, wrong, withoutMessage, atLimit }
}

describe('computeRecord: the time of an outcome', () => {
  const resolveBy = testStart + hour + 900

  /**
   * Computes the record of one alert whose outcome is logged between two anchors. The first anchor
   * does not cover the outcome and may be absent; the second one covers it.
   */
  function computeOne(createdAt: number, anchors: [before: number | null, after: number], restated = createdAt) {
    const record = createTestRecord()
    const alert = record.appendAlert(predict(testStart))
    record.anchor(testStart + 20)
    if (anchors[0] !== null) record.anchor(anchors[0])
    record.appendOutcome(alert, getCandles(predict(testStart), 30), { entry: { createdAt: toIso(createdAt) } })
    record.anchor(anchors[1])
    record.appendOutcome(alert, getCandles(predict(testStart), 31), { entry: { createdAt: toIso(restated) } })
    record.anchor(asOf)
    const { overall, alerts } = compute(record)
    const { status, outcome } = alerts[0] ?? {}
    expect(overall.timesNotProven).toBe(outcome?.isTimeProven ? 0 : 1)
    return [status, outcome?.isTimeProven, overall.strict.count]
  }

  it.each<[name: string, given: Parameters<typeof computeOne>, expected: ReturnType<typeof computeOne>]>([
    ['at the deadline, anchored 900 seconds later', [resolveBy, [null, resolveBy + 900]], ['true', true, 1]],
    ['anchored 900.001 seconds later', [resolveBy, [null, resolveBy + 900.001]], ['true', false, 1]],
    ['written a day late in a quiet stretch', [resolveBy, [null, resolveBy + day]], ['true', false, 1]],
    ['60 seconds before the last anchor', [resolveBy, [resolveBy + 60, resolveBy + 70]], ['true', true, 1]],
    ['60.001 seconds before the last anchor', [resolveBy, [resolveBy + 60.001, resolveBy + 70]], ['true', false, 1]],
    ['that is overdue and anchored late', [resolveBy + 1, [null, resolveBy + day]], ['overdue', false, 0]],
    [
      'that a later one of unproven time restates',
      [resolveBy, [null, resolveBy + 10], resolveBy - 60],
      ['true', true, 1],
    ],
  ])('%s: given %j, has the status, proof and count %j', (_, given, expected) => {
    expect(computeOne(...given)).toEqual(expected)
  })

  it('is not counted as unproven if its alert is not counted', () => {
    const record = createTestRecord()
    const { message } = record.appendAlert(predict(testStart))
    const repeated = record.appendAlert(predict(testStart), { message })
    record.anchor(testStart + 20)
    record.appendOutcome(repeated, getCandles(predict(testStart), 30))
    record.anchor(asOf)
    const { overall, alerts } = compute(record)
    expect(alerts[1]).toMatchObject({ status: 'no-prediction', outcome: { isTimeProven: false } })
    expect(overall.timesNotProven).toBe(0)
  })
})

describe('computeRecord', () => {
  const { record, expected, hiddenIndex, forged, wrong, withoutMessage, atLimit } = createE12()

  it('computes the statuses and rates of a log with alerts of every status except open', () => {
    const { alerts, overall, coverage } = compute(record, { candles: archive })
    expect(Object.fromEntries(alerts.map(({ index, status }) => [index, status]))).toEqual(expected)
    expect(overall.strict).toEqual({ n: 14, count: 3, rate: 3 / 14 })
    expect(overall.second).toEqual({ n: 13, count: 3, rate: 3 / 13 })
    expect(overall.statuses).toMatchObject({ true: 3, void: 1, overdue: 2, late: 2, withheld: 2, pending: 1, open: 0 })
    expect([overall.strict, overall.second].map(({ count, n }) => formatShare(count, n))).toEqual(['21.4', '23.1'])
    // One of the public alerts of the feed has no message.
    expect(coverage).toEqual({ n: 13, count: 12, rate: 12 / 13 })
  })

  it('counts an invalid prediction as a prediction in the coverage', () => {
    const other = createTestRecord()
    other.appendAlert(predict(testStart, { threshold: 0 }))
    other.appendAlert(null)
    other.anchor(asOf)
    expect(compute(other).coverage).toEqual({ n: 2, count: 1, rate: 0.5 })
  })

  it('groups alerts by the hour of their start, or of their issue or anchor when it is unknown', () => {
    const hours = new Map(compute(record).alerts.map(({ index, hour: found }) => [index, found]))
    const ofStart = Math.floor(testStart / hour)
    expect(hours.get(atLimit.index)).toBe(ofStart)
    expect(hours.get(withoutMessage.index)).toBe(ofStart)
    expect(hours.get(hiddenIndex)).toBe(ofStart)
  })

  it('counts a disputed alert by its verdict without an archive', () => {
    const plain = compute(record)
    expect(plain.alerts.find(({ index }) => index === forged.index)?.status).toBe('true')
    expect(plain.overall.strict).toEqual({ n: 14, count: 4, rate: 4 / 14 })
    const ofServer = compute(record, { candles: { ...archive, isArchive: false } })
    expect(ofServer.overall.strict).toEqual(plain.overall.strict)
    expect(ofServer.alerts.find(({ index }) => index === forged.index)?.outcome?.comparison).toBe('other-verdict')
    const both = compute(record, { candles: archive })
    expect(withoutArchive(both).overall).toEqual(ofServer.overall)
    expect(withoutArchive(both).by).toEqual(ofServer.by)
  })

  it('names why an alert is withheld or invalid', () => {
    const problems = new Map(
      compute(record).alerts.map(({ index, problem, outcome }) => [index, problem ?? outcome?.problem]),
    )
    expect(problems.get(withoutMessage.index)).toBe('The signal message is missing')
    expect(problems.get(wrong.index)).toContain("The message's measured does not follow from its candles")
  })

  it('counts only entries that the last anchor covers', () => {
    const anchors = record.anchors.slice(0, 2)
    const { alerts, asOf: last } = compute(record, { anchors, publicDelayMs: 0 })
    expect(last).toEqual(anchors[1])
    expect(alerts.map(({ index }) => index)).toEqual(Array.from({ length: atLimit.index + 1 }, (_, index) => index))
    expect(() => compute(record, { anchors: [] })).toThrow('A record is computed as of an anchor')
  })

  it('is the same whether or not the content of recent alerts is known', () => {
    const youngFrom = record.entries.length - 1
    const entries = record.entries.map((entry) =>
      entry.index >= youngFrom ? { ...entry, statement: null, message: null } : entry,
    )
    expect(compute(record, { entries }).overall).toEqual(compute(record).overall)
  })

  it('accepts another hash function', () => {
    const seen: number[] = []
    const hashMessage = (message: string): Hex => {
      seen.push(message.length)
      return hashSignal(message)
    }
    expect(compute(record, { hashMessage }).overall).toEqual(compute(record).overall)
    expect(seen.length).toBeGreaterThan(20)
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
  const added = plans.map((alert, index) => {
    const prediction = predict(testStart + (index === 2 ? month : 0), { market: `M${index}` })
    return { prediction, entry: record.appendAlert(prediction, { alert, model: models[index % 2] ?? testModel }) }
  })
  record.anchor(testStart)
  for (const { entry, prediction } of added) record.appendOutcome(entry, getCandles(prediction, 30))
  record.appendAlert(null, { alert: { origin: 'admin', signalHash: null, asset: 'X' } })
  record.anchor(testStart + month + 3 * day)
  const whole = compute(record)
  const { by, overall } = whole

  it('have a row for each value, with its alerts', () => {
    const rows = (name: keyof typeof by) => by[name].map(({ key }) => [key, listMembers(whole, name, key)])
    expect(rows('type')).toEqual([
      ['Price move', [0]],
      ['Volume spike', [1, 2]],
    ])
    expect(rows('asset')).toEqual([
      ['BTC/USDT', [0, 2]],
      ['ETH/USDT', [1]],
    ])
    expect(rows('priority')).toEqual([
      ['high', [0]],
      ['low', [1, 2]],
    ])
    expect(rows('regime')).toEqual([
      ['Calm', [0, 1]],
      ['Turbulent', [2]],
    ])
    expect(rows('model')).toEqual([
      [models[0], [0, 2]],
      [models[1], [1]],
    ])
    expect(rows('month')).toEqual([
      ['2026-03', [0, 1]],
      ['2026-04', [2]],
    ])
  })

  it('have figures by the same definitions', () => {
    expect(by.type.map(({ figures }) => figures.strict.count)).toEqual([1, 2])
    expect(overall.statuses).toMatchObject({ true: 3, 'no-prediction': 1 })
    for (const rows of Object.values(by)) {
      expect(rows.reduce((sum, { figures }) => sum + figures.strict.n, 0)).toBe(overall.strict.n)
    }
  })
})
