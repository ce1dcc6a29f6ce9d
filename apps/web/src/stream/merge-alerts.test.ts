import type { Alert } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { getAlert } from '../../../../packages/protocol/test/support/sample-alert.ts'
import { findHighestIndex, hasVerdict, mergeRecentAlert, mergeUserAlerts } from './merge-alerts.ts'

describe('merging an alert into a list', () => {
  const list = [
    getAlert(5),
    { id: 'x', locked: true as const, priority: 'low' as const, createdAt: getAlert(3).createdAt, logIndex: 3 },
  ]

  it('inserts a new alert in order of time, newest first', () => {
    expect(mergeRecentAlert(list, getAlert(9)).map(({ id }) => id)).toEqual(['alert-9', 'alert-5', 'x'])
    expect(mergeRecentAlert(list, getAlert(4)).map(({ id }) => id)).toEqual(['alert-5', 'alert-4', 'x'])
    expect(mergeRecentAlert([], getAlert(1)).map(({ id }) => id)).toEqual(['alert-1'])
  })

  it('replaces the locked row with the same log index', () => {
    expect(mergeRecentAlert(list, getAlert(3))).toEqual([getAlert(5), getAlert(3)])
  })

  it('replaces a known alert in place when it is anchored', () => {
    const anchored = getAlert(5, { avalancheTx: '0xfeed' })
    expect(mergeRecentAlert(list, anchored)).toEqual([anchored, list[1]])
  })

  it('keeps the read state of a known alert and marks a new alert as unread', () => {
    const readEntries = [{ id: 'alert-5', alert: getAlert(5), isRead: true }]
    const anchored = getAlert(5, { avalancheTx: '0xfeed' })
    expect(mergeUserAlerts(readEntries, anchored)).toEqual([{ id: 'alert-5', alert: anchored, isRead: true }])
    expect(mergeUserAlerts(readEntries, getAlert(6))[0]).toEqual({ id: 'alert-6', alert: getAlert(6), isRead: false })
  })

  it('replaces only the locked row that has the same log index in the user’s list', () => {
    const rows = list.map((alert) => ({ id: alert.id, alert, isRead: false }))
    const [first, second] = rows
    expect(mergeUserAlerts(rows, getAlert(3))).toEqual([first, { id: 'alert-3', alert: getAlert(3), isRead: false }])
    const retraction = getAlert(6, { kind: 'retraction', targetIndex: 3 })
    expect(mergeUserAlerts(rows, retraction)).toEqual([
      { id: 'alert-6', alert: retraction, isRead: false },
      first,
      second,
    ])
  })

  it('findHighestIndex: ignores locked rows', () => {
    expect(findHighestIndex([])).toBeNull()
    expect(findHighestIndex(list.slice(1))).toBeNull()
    expect(findHighestIndex([getAlert(0)])).toBe(0)
    expect(findHighestIndex([getAlert(5), getAlert(9)])).toBe(9)
  })
})

describe('merging a correction or retraction', () => {
  const otherAlert = getAlert(2)
  const target = getAlert(3)
  const correction = getAlert(4, { kind: 'correction', targetIndex: 3 })
  const retraction = getAlert(5, { kind: 'retraction', targetIndex: 3 })
  const createMark = ({ logIndex, id, kind }: Alert) => ({ logIndex, id, kind })

  it('marks only the corrected alert as superseded', () => {
    const mergedAlerts = mergeUserAlerts(
      [target, otherAlert].map((alert) => ({ id: alert.id, alert, isRead: true })),
      correction,
    )
    const found = mergedAlerts.map(({ alert, isRead }) => [
      alert.logIndex,
      isRead,
      'locked' in alert ? 'locked' : alert.supersededBy,
    ])
    expect(found).toEqual([
      [4, false, null],
      [3, true, createMark(correction)],
      [2, true, null],
    ])
    expect(mergeRecentAlert([target, otherAlert], correction)).toEqual([
      correction,
      { ...target, supersededBy: createMark(correction) },
      otherAlert,
    ])
  })

  it('keeps the mark of the newest correction or retraction regardless of arrival order', () => {
    const last = { ...target, supersededBy: createMark(retraction) }
    expect(mergeRecentAlert(mergeRecentAlert([target], correction), retraction)).toContainEqual(last)
    expect(mergeRecentAlert(mergeRecentAlert([target], retraction), correction)).toContainEqual(last)
  })
})

it('hasVerdict: is false for locked rows and open predictions', () => {
  const outcome = { logIndex: 9, verdict: 'void', measured: null, createdAt: '', messageHash: '0x' } as const
  expect(hasVerdict({ id: 'a', locked: true, priority: 'low', createdAt: '', logIndex: 1 })).toBe(false)
  expect(hasVerdict(getAlert(1))).toBe(false)
  expect(hasVerdict(getAlert(1, { outcome }))).toBe(true)
})
