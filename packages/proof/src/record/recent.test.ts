import { expect, test } from 'vitest'
import { createPrediction, createTestRecord, getCandles, testStartSeconds } from '../../test/support/test-record.ts'
import { summarizeFrom } from './recent.ts'
import { readRecord } from './record-reader.ts'
import { computeRecord } from './track-record.ts'

const DAY = 86_400

/**
 * Creates a log with four alerts, half an hour apart, on each of the days 0, 20 and 40. The last
 * anchor is on day 55.
 */
function createLog() {
  const log = createTestRecord()
  for (const day of [0, 20, 40]) {
    for (const half of [0, 1, 2, 3]) {
      const start = testStartSeconds + day * DAY + half * 1_800
      const prediction = createPrediction(start)
      const alert = log.appendAlert(prediction)
      log.anchor(start - 20)
      if (half < 3) log.appendOutcome(alert, getCandles(prediction, half === 0 ? 60 : 1))
    }
  }
  log.anchor(testStartSeconds + 55 * DAY)
  return { ...log, publicDelayMs: 0, origin: 'feed' as const }
}

test('computeRecord: counts only alerts of the 30 days before the last anchor in the recent figures', () => {
  const { recent } = computeRecord(createLog())
  expect(recent).toMatchObject({
    since: '2026-03-27T14:31:00.000Z',
    fromIndex: 14,
    figures: { strict: { n: 4, count: 2 }, statuses: { true: 2, false: 1, overdue: 1 }, episodes: { n: 2 } },
  })
})

test('computeRecord: counts no recent alerts when the last alert is more than 30 days older than the last anchor', () => {
  const log = createLog()
  log.anchor(testStartSeconds + 80 * DAY)
  const { recent } = computeRecord(log)
  expect(recent).toMatchObject({ fromIndex: log.entries.length, figures: { strict: { n: 0 } } })
})

test('summarizeFrom: returns the recent figures of computeRecord from the entries of the recent period alone', () => {
  const log = createLog()
  const { recent } = computeRecord(log)
  const recentEntries = log.entries.filter(({ index }) => index >= recent.fromIndex)
  expect(summarizeFrom(readRecord(recentEntries, log), recent.fromIndex)).toEqual(recent.figures)
})
