import type { Alert, AlertSearch, ListedAlert, ReadableAlert } from '@tocsin/protocol'
import { describe, expect, test } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { unlistedUpdateIds } from '../../stream/updated-only.ts'
import { listArrivedAlerts } from './arrivals.ts'
import { mergeLiveAlerts } from './live-entries.ts'

const noCount = { count: 0, isMore: false }
const noIds = new Set<string>()

const createAlert = (logIndex: number, change: Partial<Alert> = {}) =>
  getAlert(logIndex, {
    id: `a${logIndex}`,
    summary: 'Volume',
    regime: 'Calm',
    anomalyType: 'Spike',
    createdAt: '2026-11-21T12:00:00.000Z',
    ...change,
  })
const createLockedAlert = (logIndex: number): ReadableAlert => ({
  id: `locked-${logIndex}`,
  locked: true,
  logIndex,
  priority: 'low',
  createdAt: '2026-11-21T12:00:00.000Z',
})
const createEntry = (of: ReadableAlert): ListedAlert => ({ id: of.id, alert: of, isRead: true })
const createPage = (alerts: ReadableAlert[], next: string | null = null): AlertSearch => ({
  items: alerts.map(createEntry),
  next,
  total: noCount,
  byPriority: { critical: noCount, high: noCount, medium: noCount, low: noCount },
  lastIndex: 5,
})
const joinIds = (entries: readonly { id: string }[]) => entries.map(({ id }) => id).join(' ')

describe('listArrivedAlerts', () => {
  const recentAlerts = [createAlert(7), createAlert(6), createLockedAlert(4), createAlert(5), createAlert(3)]
  test.each([
    [{ lastIndex: 5, knownIds: new Set(['a5', 'a3']) }, 'a7 a6'],
    [{ lastIndex: 5, knownIds: null }, 'a7 a6'],
    [{ lastIndex: null, knownIds: null }, 'a7 a6 a5 a3'],
    // Alert 3 was broadcast late: it has a low log index, but its id is unknown.
    [{ lastIndex: 5, knownIds: new Set(['a5']) }, 'a7 a6 a3'],
  ])('%j: returns alerts newer than lastIndex and alerts that are not in the set of known ids', (readAt, expected) => {
    expect(joinIds(listArrivedAlerts(recentAlerts, readAt))).toBe(expected)
  })
})

test('listArrivedAlerts: omits an alert if only an update of the alert has arrived', () => {
  unlistedUpdateIds.add('a3')
  expect(
    joinIds(listArrivedAlerts([createAlert(3), createAlert(2)], { lastIndex: 5, knownIds: new Set(['a5']) })),
  ).toBe('a2')
  unlistedUpdateIds.clear()
})

describe('mergeLiveAlerts', () => {
  const pages = [createPage([createAlert(5), createAlert(4)], '4'), createPage([createAlert(2)], '2')]
  test.each([
    ['inserts newer alerts at the top', [createAlert(7), createAlert(6)], {}, 'a7 a6 a5 a4 a2'],
    ['inserts an older alert by log index', [createAlert(3)], {}, 'a5 a4 a3 a2'],
    ['does not repeat a listed alert', [createAlert(5)], {}, 'a5 a4 a2'],
    ['skips alerts below the loaded pages, because the next page contains them', [createAlert(1)], {}, 'a5 a4 a2'],
    [
      'skips alerts that the filter excludes',
      [createAlert(7, { priority: 'low' }), createAlert(6)],
      { priority: 'high' as const },
      'a6 a5 a4 a2',
    ],
    [
      'skips alerts that the search excludes',
      [createAlert(7, { summary: 'Other' }), createAlert(6)],
      { q: 'vol' },
      'a6 a5 a4 a2',
    ],
  ])('%s', (_, arrivedAlerts, selection, expected) => {
    expect(joinIds(mergeLiveAlerts(pages, selection, [], arrivedAlerts, noIds))).toBe(expected)
  })

  test('appends an older alert when there are no more pages', () => {
    expect(joinIds(mergeLiveAlerts([createPage([createAlert(5)])], {}, [], [createAlert(1)], noIds))).toBe('a5 a1')
    expect(joinIds(mergeLiveAlerts([createPage([])], {}, [], [createAlert(1)], noIds))).toBe('a1')
  })

  test('marks new alerts as unread unless they were opened on this page', () => {
    const mergedEntries = mergeLiveAlerts(pages, {}, [], [createAlert(7), createAlert(6)], new Set(['a6']))
    expect(mergedEntries.slice(0, 3).map(({ isRead }) => isRead)).toEqual([false, true, true])
  })

  test('replaces entries for which newer data exists, and reuses the objects of unchanged entries', () => {
    const anchored = createAlert(4, { avalancheTx: '0xaa' })
    const supersededAlert = createAlert(2, { supersededBy: { logIndex: 9, id: 'a9', kind: 'correction' } })
    const mergedEntries = mergeLiveAlerts(pages, {}, [anchored, supersededAlert, createAlert(5)], [], noIds)
    expect(mergedEntries.map(({ alert: shown }) => shown)).toEqual([createAlert(5), anchored, supersededAlert])
    expect(mergedEntries[0]).toBe(pages[0]?.items[0])
  })

  test('adds an older alert to a list filtered by verdict when a matching verdict arrives', () => {
    const createJudgedAlert = (logIndex: number, index: number) => {
      const createdAt = '2026-11-21T13:00:00.000Z'
      const outcome = { logIndex: index, verdict: 'came-true', measured: '1', createdAt, messageHash: '0x' } as const
      return createAlert(logIndex, { outcome })
    }
    const verdict = 'came-true' as const
    const mergeVerdict = (liveAlert: Alert, selection = { verdict } as { verdict?: 'came-true' | 'did-not' }) =>
      joinIds(mergeLiveAlerts([createPage([createJudgedAlert(4, 5)])], selection, [liveAlert], [], noIds))
    expect(mergeVerdict(createJudgedAlert(3, 9))).toBe('a4 a3')
    expect(mergeVerdict(createJudgedAlert(3, 5)), 'the list knew this verdict').toBe('a4')
    expect(mergeVerdict(createJudgedAlert(3, 9), { verdict: 'did-not' })).toBe('')
    expect(mergeVerdict(createJudgedAlert(3, 9), {}), 'the list contains alerts regardless of their verdict').toBe('a4')
  })

  test('replaces an anchored entry when its outcome arrives', () => {
    const anchored = createAlert(4, { avalancheTx: '0xaa' })
    const createdAt = '2026-11-21T13:00:00.000Z'
    const outcome = { logIndex: 9, verdict: 'did-not', measured: '1', createdAt, messageHash: '0x' } as const
    const judgedAlert = { ...anchored, outcome }
    expect(mergeLiveAlerts([createPage([anchored])], {}, [judgedAlert], [], noIds)[0]?.alert).toBe(judgedAlert)
    expect(mergeLiveAlerts([createPage([judgedAlert])], {}, [anchored], [], noIds)[0]?.alert).toBe(judgedAlert)
  })

  test('keeps an anchored entry when the live version of the alert is not anchored', () => {
    const knownPages = [createPage([createAlert(4, { avalancheTx: '0xaa' })])]
    expect(mergeLiveAlerts(knownPages, {}, [createAlert(4)], [], noIds)[0]).toBe(knownPages[0]?.items[0])
  })

  test('replaces a locked row when the full alert arrives', () => {
    const mergedEntries = mergeLiveAlerts(
      [createPage([createLockedAlert(8), createLockedAlert(7)])],
      {},
      [createAlert(8)],
      [createAlert(8)],
      noIds,
    )
    expect(mergedEntries.map(({ id, alert: shown }) => [id, shown.id])).toEqual([
      ['a8', 'a8'],
      ['locked-7', 'locked-7'],
    ])
  })
})
