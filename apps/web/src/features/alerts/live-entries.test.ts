import type { Alert, AlertSearch, ListedAlert, ReadableAlert } from '@tocsin/protocol'
import { describe, expect, test } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { updatedOnly } from '../../stream/updated-only.ts'
import { listArrivedAlerts } from './arrivals.ts'
import { mergeLive } from './live-entries.ts'

const counted = { count: 0, isMore: false }
const nothing = new Set<string>()

const alert = (logIndex: number, change: Partial<Alert> = {}) =>
  getAlert(logIndex, {
    id: `a${logIndex}`,
    summary: 'Volume',
    regime: 'Calm',
    anomalyType: 'Spike',
    createdAt: '2026-11-21T12:00:00.000Z',
    ...change,
  })
const locked = (logIndex: number): ReadableAlert => ({
  id: `locked-${logIndex}`,
  locked: true,
  logIndex,
  priority: 'low',
  createdAt: '2026-11-21T12:00:00.000Z',
})
const entry = (of: ReadableAlert): ListedAlert => ({ id: of.id, alert: of, isRead: true })
const page = (alerts: ReadableAlert[], next: string | null = null): AlertSearch => ({
  items: alerts.map(entry),
  next,
  total: counted,
  byPriority: { critical: counted, high: counted, medium: counted, low: counted },
  lastIndex: 5,
})
const ids = (entries: readonly { id: string }[]) => entries.map(({ id }) => id).join(' ')

describe('listArrivedAlerts', () => {
  const recent = [alert(7), alert(6), locked(4), alert(5), alert(3)]
  test.each([
    [{ lastIndex: 5, known: new Set(['a5', 'a3']) }, 'a7 a6'],
    [{ lastIndex: 5, known: null }, 'a7 a6'],
    [{ lastIndex: null, known: null }, 'a7 a6 a5 a3'],
    // Alert 3 was broadcast late: it has a low log index, but its id is unknown.
    [{ lastIndex: 5, known: new Set(['a5']) }, 'a7 a6 a3'],
  ])('%j: returns the newer and the unknown alerts', (readAt, expected) => {
    expect(ids(listArrivedAlerts(recent, readAt))).toBe(expected)
  })
})

test('listArrivedAlerts: an alert of which only an update has arrived is not new', () => {
  updatedOnly.add('a3')
  expect(ids(listArrivedAlerts([alert(3), alert(2)], { lastIndex: 5, known: new Set(['a5']) }))).toBe('a2')
  updatedOnly.clear()
})

describe('mergeLive', () => {
  const pages = [page([alert(5), alert(4)], '4'), page([alert(2)], '2')]
  test.each([
    ['inserts newer alerts at the top', [alert(7), alert(6)], {}, 'a7 a6 a5 a4 a2'],
    ['inserts an older alert by log index', [alert(3)], {}, 'a5 a4 a3 a2'],
    ['does not repeat a listed alert', [alert(5)], {}, 'a5 a4 a2'],
    ['skips alerts below the loaded pages, because the next page contains them', [alert(1)], {}, 'a5 a4 a2'],
    [
      'skips alerts that the filter excludes',
      [alert(7, { priority: 'low' }), alert(6)],
      { priority: 'high' as const },
      'a6 a5 a4 a2',
    ],
    ['skips alerts that the search excludes', [alert(7, { summary: 'Other' }), alert(6)], { q: 'vol' }, 'a6 a5 a4 a2'],
  ])('%s', (_, arrived, selection, expected) => {
    expect(ids(mergeLive(pages, selection, [], arrived, nothing))).toBe(expected)
  })

  test('appends an older alert when there are no more pages', () => {
    expect(ids(mergeLive([page([alert(5)])], {}, [], [alert(1)], nothing))).toBe('a5 a1')
    expect(ids(mergeLive([page([])], {}, [], [alert(1)], nothing))).toBe('a1')
  })

  test('marks new alerts as unread unless they were opened on this page', () => {
    const merged = mergeLive(pages, {}, [], [alert(7), alert(6)], new Set(['a6']))
    expect(merged.slice(0, 3).map(({ isRead }) => isRead)).toEqual([false, true, true])
  })

  test('replaces entries that have newer data and keeps the other objects', () => {
    const anchored = alert(4, { avalancheTx: '0xaa' })
    const superseded = alert(2, { supersededBy: { logIndex: 9, id: 'a9', kind: 'correction' } })
    const merged = mergeLive(pages, {}, [anchored, superseded, alert(5)], [], nothing)
    expect(merged.map(({ alert: shown }) => shown)).toEqual([alert(5), anchored, superseded])
    expect(merged[0]).toBe(pages[0]?.items[0])
  })

  test('adds an earlier alert to a list of verdicts when its verdict arrives', () => {
    const judgedAt = (logIndex: number, index: number) => {
      const createdAt = '2026-11-21T13:00:00.000Z'
      const outcome = { logIndex: index, verdict: 'came-true', measured: '1', createdAt, messageHash: '0x' } as const
      return alert(logIndex, { outcome })
    }
    const verdict = 'came-true' as const
    const merge = (live: Alert, selection = { verdict } as { verdict?: 'came-true' | 'did-not' }) =>
      ids(mergeLive([page([judgedAt(4, 5)])], selection, [live], [], nothing))
    expect(merge(judgedAt(3, 9))).toBe('a4 a3')
    expect(merge(judgedAt(3, 5)), 'the list knew this verdict').toBe('a4')
    expect(merge(judgedAt(3, 9), { verdict: 'did-not' })).toBe('')
    expect(merge(judgedAt(3, 9), {}), 'the list contains alerts regardless of their verdict').toBe('a4')
  })

  test('replaces an anchored entry when its outcome arrives', () => {
    const anchored = alert(4, { avalancheTx: '0xaa' })
    const createdAt = '2026-11-21T13:00:00.000Z'
    const outcome = { logIndex: 9, verdict: 'did-not', measured: '1', createdAt, messageHash: '0x' } as const
    const judged = { ...anchored, outcome }
    expect(mergeLive([page([anchored])], {}, [judged], [], nothing)[0]?.alert).toBe(judged)
    expect(mergeLive([page([judged])], {}, [anchored], [], nothing)[0]?.alert).toBe(judged)
  })

  test('keeps the listed entry when the live one has less data', () => {
    const known = [page([alert(4, { avalancheTx: '0xaa' })])]
    expect(mergeLive(known, {}, [alert(4)], [], nothing)[0]).toBe(known[0]?.items[0])
  })

  test('replaces a locked row when the full alert arrives', () => {
    const merged = mergeLive([page([locked(8), locked(7)])], {}, [alert(8)], [alert(8)], nothing)
    expect(merged.map(({ id, alert: shown }) => [id, shown.id])).toEqual([
      ['a8', 'a8'],
      ['locked-7', 'locked-7'],
    ])
  })
})
