import { describe, expect, it } from 'vitest'
import {
  type AlertPlan,
  createPrediction,
  createTestRecord,
  getCandles,
  type TestRecord,
  testModel,
  testStartSeconds,
  toIso,
} from '../../test/support/test-record.ts'
import type { Hex } from '../hex.ts'
import type { Prediction } from './prediction.ts'
import type { RecordAlert, RecordOptions } from './record-alert.ts'
import type { RecordEntry } from './record-entry.ts'
import { readRecord } from './record-reader.ts'

const hour = 3600
const day = 24 * hour
const NO_MOVE_MINUTE = 60
const asOf = testStartSeconds + 3 * day

function readTestRecord(
  { entries, anchors }: Pick<TestRecord, 'entries' | 'anchors'>,
  more: Partial<RecordOptions> = {},
): RecordAlert[] {
  return readRecord(entries, { anchors, publicDelayMs: day * 1000, origin: 'feed', ...more })
}

function getStatuses(
  record: Pick<TestRecord, 'entries' | 'anchors'>,
  more?: Partial<RecordOptions>,
): Record<number, string> {
  return Object.fromEntries(readTestRecord(record, more).map(({ index, status }) => [index, status]))
}

/**
 * Appends an alert whose prediction comes true. The returned `resolve` appends the outcome, with
 * candles in which the price rises by 2 % in the middle of the horizon.
 */
function appendTrueAlert(record: TestRecord, plan: Partial<AlertPlan> = {}) {
  const prediction = createPrediction(testStartSeconds)
  const entry = record.appendAlert(prediction, plan)
  return { entry, resolve: () => record.appendOutcome(entry, getCandles(prediction, 30)) }
}

describe('createRecordReader, for outcomes', () => {
  /** Reads a record with one alert of the feed and the outcomes that the test adds. */
  function readWithOutcomes(
    addOutcomes: (record: TestRecord, entry: RecordEntry) => void,
    change: Partial<Prediction> = {},
  ) {
    const record = createTestRecord()
    const entry = record.appendAlert(createPrediction(testStartSeconds, change))
    record.anchor(testStartSeconds + 20)
    addOutcomes(record, entry)
    record.anchor(asOf)
    return readTestRecord(record)[0]
  }
  const movedCandles = getCandles(createPrediction(testStartSeconds), 30)
  const flatCandles = getCandles(createPrediction(testStartSeconds), NO_MOVE_MINUTE)

  it('counts the outcome with the lowest index, and lists the others', () => {
    const alert = readWithOutcomes((record, entry) => {
      record.appendOutcome(entry, flatCandles)
      record.appendOutcome(entry, movedCandles)
      record.appendOutcome(entry, movedCandles)
    })
    expect(alert).toMatchObject({ status: 'false', outcome: { index: 1, verdict: 'did-not' }, furtherOutcomes: [2, 3] })
  })

  it.each<[name: string, change: Parameters<TestRecord['appendOutcome']>[2], problem: string | RegExp]>([
    ['whose message is missing', { isMissing: true }, 'The outcome message is missing'],
    ['whose message has another hash', { entry: { messageHash: `0x${'00'.repeat(32)}` } }, /has another hash/],
    [
      'whose verdict is another one',
      { entry: { verdict: 'did-not' } },
      "The entry's verdict is not that of its message",
    ],
    ['whose value is another one', { entry: { measured: '3' } }, "The entry's measured is not that of its message"],
    ['of another signal', { message: { id: 'm-9' } }, "The message's id is not that of the signal"],
    [
      'signed before the end of the horizon',
      { entry: { createdAt: toIso(testStartSeconds + hour - 1) } },
      'The horizon does not end before 2026-03-02T15:31:00.000Z',
    ],
  ])('marks an alert as invalid because of an outcome %s', (_, change, problem) => {
    const alert = readWithOutcomes((record, entry) => record.appendOutcome(entry, movedCandles, change))
    expect(alert).toMatchObject({ status: 'invalid', isWitnessed: false })
    expect(alert?.outcome?.problem).toMatch(problem)
  })

  it('ignores an outcome that names another leaf hash or origin', () => {
    const leafHash: Hex = `0x${'00'.repeat(32)}`
    for (const entry of [{ targetLeafHash: leafHash }, { origin: 'demo' as const }]) {
      const alert = readWithOutcomes((record, target) => record.appendOutcome(target, movedCandles, { entry }))
      expect(alert).toMatchObject({ status: 'overdue', outcome: null })
    }
  })

  it('counts an alert as witnessed if it comes true after its anchor', () => {
    const record = createTestRecord()
    const earlyAlert = record.appendAlert(createPrediction(testStartSeconds))
    const lateAlert = record.appendAlert(createPrediction(testStartSeconds))
    const tooLateAlert = record.appendAlert(createPrediction(testStartSeconds))
    record.anchor(testStartSeconds + 200)
    record.appendOutcome(earlyAlert, movedCandles)
    record.appendOutcome(lateAlert, getCandles(createPrediction(testStartSeconds), 1))
    record.appendOutcome(tooLateAlert, movedCandles, { entry: { createdAt: toIso(testStartSeconds + 4501) } })
    record.anchor(asOf)
    const alerts = readTestRecord(record)
    expect(alerts.map(({ status }) => status)).toEqual(['true', 'true', 'overdue'])
    expect(alerts.map(({ isWitnessed }) => isWitnessed)).toEqual([true, false, true])
  })

  it('counts an alert as overdue while the record ends before its outcome', () => {
    const record = createTestRecord()
    const { resolve } = appendTrueAlert(record)
    record.anchor(testStartSeconds + 20)
    record.anchor(testStartSeconds + 4500)
    resolve()
    record.anchor(asOf)
    const readStatusesAt = (count: number) =>
      getStatuses(record, { anchors: record.anchors.slice(0, count), publicDelayMs: 0 })
    expect(readStatusesAt(1)).toEqual({ 0: 'open' })
    expect(readStatusesAt(2)).toEqual({ 0: 'overdue' })
    expect(readStatusesAt(3)).toEqual({ 0: 'true' })
  })
})

describe('createRecordReader, for signals', () => {
  function createRecord(fillRecord: (record: TestRecord) => void, options?: Partial<RecordOptions>) {
    const record = createTestRecord()
    fillRecord(record)
    record.anchor(testStartSeconds + 20)
    record.anchor(asOf)
    return getStatuses(record, options)
  }
  const sharedForecast = { prediction: createPrediction(testStartSeconds), model: testModel }
  const sharedMessage = { message: '{"id":"m"}' }

  it.each<[name: string, fill: (record: TestRecord) => void, statuses: object]>([
    [
      'withheld if its message has another hash',
      (r) => r.appendAlert(createPrediction(testStartSeconds), { alert: { signalHash: `0x${'11'.repeat(32)}` } }),
      { 0: 'withheld' },
    ],
    [
      'invalid if its prediction breaks a rule',
      (r) => r.appendAlert(createPrediction(testStartSeconds, { threshold: 0 })),
      { 0: 'invalid' },
    ],
    [
      'an alert without prediction if its message is not JSON',
      (r) => r.appendAlert(createPrediction(testStartSeconds), { message: 'x' }),
      { 0: 'no-prediction' },
    ],
    ['an alert without prediction if its message has none', (r) => r.appendAlert(null), { 0: 'no-prediction' }],
    [
      'an alert without prediction if an earlier alert has the same signal',
      (r) => {
        const first = r.appendAlert(createPrediction(testStartSeconds))
        const { statement, message } = first
        if (statement?.kind === 'alert') r.append({ ...statement, index: 1, id: 'a-1' }, message)
      },
      { 0: 'overdue', 1: 'no-prediction' },
    ],
    [
      'an alert without prediction if an earlier alert of the demo has the same signal',
      (r) => {
        const message = JSON.stringify({ ...sharedForecast, id: 'm', observedAt: toIso(testStartSeconds) })
        r.appendAlert(null, { message, alert: { origin: 'demo' } })
        r.appendAlert(createPrediction(testStartSeconds), { message })
      },
      { 1: 'no-prediction' },
    ],
    [
      'absent from the record of the feed if its origin is the demo',
      (r) => r.appendAlert(null, { ...sharedMessage, alert: { origin: 'demo' } }),
      {},
    ],
  ])('counts an alert as %s', (_, fillRecord, statuses) => {
    expect(createRecord(fillRecord)).toEqual(statuses)
  })

  it('keeps the records of feed and demo apart', () => {
    const fillBothOrigins = (record: TestRecord) => {
      record.appendAlert(createPrediction(testStartSeconds))
      record.appendAlert(createPrediction(testStartSeconds, { venue: 'simulated' }), { alert: { origin: 'demo' } })
      record.appendAlert(null, { alert: { origin: 'demo', signalHash: null } })
    }
    expect(createRecord(fillBothOrigins)).toEqual({ 0: 'overdue' })
    expect(createRecord(fillBothOrigins, { origin: 'demo' })).toEqual({ 1: 'overdue', 2: 'no-prediction' })
  })
})

describe('createRecordReader, for recent content', () => {
  /** Reads a record with an anchored alert and its outcome, as of `hours` after the alert. */
  function readAsOfHours(hours: number) {
    const record = createTestRecord()
    const { resolve } = appendTrueAlert(record)
    record.anchor(testStartSeconds)
    resolve()
    record.anchor(testStartSeconds - 40 + hours * hour)
    return { ...record, statuses: getStatuses(record) }
  }

  it('counts an alert and its outcome as pending until the alert is as old as the public delay', () => {
    expect(readAsOfHours(23.9).statuses).toEqual({ 0: 'pending', 1: 'pending' })
    expect(readAsOfHours(24).statuses).toEqual({ 0: 'true' })
  })

  it('counts an entry as a withheld alert if its content is still hidden a day after the public delay', () => {
    const record = readAsOfHours(49)
    const entries = record.entries.map(({ index, leafHash }) => ({ index, leafHash, statement: null, message: null }))
    expect(getStatuses({ ...record, entries })).toEqual({ 0: 'withheld', 1: 'pending' })
  })

  it('counts a recent correction as pending, because its kind is not public yet', () => {
    const record = createTestRecord()
    const {
      index: targetIndex,
      leafHash: targetLeafHash,
      statement,
    } = record.appendAlert(createPrediction(testStartSeconds))
    if (statement?.kind !== 'alert') throw new Error('The target is an alert')
    const correction = { ...statement, kind: 'correction' as const, targetIndex, targetLeafHash }
    record.append({ ...correction, index: 1, createdAt: toIso(asOf - day) }, null)
    record.append({ ...correction, index: 2, createdAt: toIso(asOf - day + 1) }, null)
    record.anchor(asOf)
    expect(getStatuses(record)).toEqual({ 0: 'late', 2: 'pending' })
  })

  it('ignores heartbeats', () => {
    const record = createTestRecord()
    const { signer } = record
    record.append({ kind: 'heartbeat', index: 0, createdAt: toIso(asOf), signer }, null)
    record.anchor(asOf)
    expect(getStatuses(record)).toEqual({})
  })

  it('rethrows an error of the candle source', () => {
    const record = createTestRecord()
    const { resolve } = appendTrueAlert(record)
    record.anchor(testStartSeconds)
    resolve()
    record.anchor(asOf)
    const candles = {
      isArchive: true,
      read: () => {
        throw new Error('The file is damaged')
      },
    }
    expect(() => readTestRecord(record, { candles })).toThrow('The file is damaged')
  })
})
