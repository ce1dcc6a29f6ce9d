import type { Alert, ListedAlert, ReadableAlert } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import {
  filterReadable,
  maxOfflineAlerts,
  mergeOfflineAlerts,
  parseOfflineAlerts,
  updateReadStates,
} from './offline-list.ts'

// Cast: contains only the fields that the functions read.
const getAlert = (logIndex: number, extraFields: object = {}) =>
  ({ id: `a${logIndex}`, logIndex, ...extraFields }) as Alert
const getEntry = (logIndex: number, isRead = false): ListedAlert => {
  return { id: `a${logIndex}`, alert: getAlert(logIndex), isRead }
}
const createLockedRow = (logIndex: number) => ({ id: `row-${logIndex}`, locked: true, logIndex }) as ReadableAlert

test('offline alerts: never include locked rows', () => {
  expect(filterReadable([{ id: 'row-9', alert: createLockedRow(9), isRead: false }, getEntry(8)])).toEqual([
    getEntry(8),
  ])
  expect(mergeOfflineAlerts([getEntry(8)], [createLockedRow(9)], 8)).toEqual([getEntry(8)])
})

test('offline alerts: do not include an alert that the page still has and the server no longer lets the account read', () => {
  expect(mergeOfflineAlerts([getEntry(7)], [getAlert(9), getAlert(8)], 9)).toEqual([getEntry(7)])
})

test('offline alerts: put new alerts first and update the data of known alerts', () => {
  const anchored = getAlert(8, { avalancheTx: '0x1' })
  expect(mergeOfflineAlerts([getEntry(8, true), getEntry(7)], [getAlert(9), anchored], 8)).toEqual([
    getEntry(9),
    { id: 'a8', alert: anchored, isRead: true },
    getEntry(7),
  ])
})

test.each([
  ['take the read state of the newest loaded list', false, [true, false, true]],
  ['are all read when the account has no unread alert', true, [true, true, true]],
])('offline alerts: %s', (_what, isAllRead, expectedReads) => {
  const olderList = [getEntry(9, false), getEntry(8, true)]
  const listedEntries = [getEntry(9, true), getEntry(8, false), ...olderList]
  const updatedEntries = updateReadStates([getEntry(9), getEntry(8, true), getEntry(7, true)], listedEntries, isAllRead)
  expect(updatedEntries.map(({ isRead }) => isRead)).toEqual(expectedReads)
})

test('offline alerts: contain only the newest 200 alerts', () => {
  const fullList = Array.from({ length: maxOfflineAlerts }, (_, index) => getEntry(maxOfflineAlerts - index))
  const mergedEntries = mergeOfflineAlerts(fullList, [getAlert(maxOfflineAlerts + 1)], maxOfflineAlerts)
  expect(mergedEntries).toHaveLength(maxOfflineAlerts)
  expect([mergedEntries[0]?.alert.logIndex, mergedEntries.at(-1)?.alert.logIndex]).toEqual([maxOfflineAlerts + 1, 2])
})

test('offline alerts: are ignored when the stored data has an unknown format', () => {
  expect(parseOfflineAlerts([{ id: 'a1' }])).toBeNull()
  expect(parseOfflineAlerts('text')).toBeNull()
  expect(parseOfflineAlerts([])).toEqual([])
})
