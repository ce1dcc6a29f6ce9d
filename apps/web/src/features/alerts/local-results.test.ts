import type { Alert, AlertSelection, ListedAlert, Priority } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import type { LoadedList } from '../alert/alert-queries.ts'
import { filterLoadedResults } from './local-results.ts'

const createCount = (count: number) => ({ count, isMore: false })
const prioritiesByLetter: Record<string, Priority> = { c: 'critical', h: 'high', l: 'low' }

/**
 * Creates a list from text. "c9 h8." is a critical alert with log index 9 and a read high alert
 * with log index 8.
 */
function parseEntries(words: string): ListedAlert[] {
  return words
    .split(' ')
    .filter(Boolean)
    .map((word) => ({ id: word.slice(0, 2), alert: parseAlert(word), isRead: word.endsWith('.') }))
}

function parseAlert(word: string): Alert {
  return {
    id: word.slice(0, 2),
    asset: word.startsWith('c') ? 'ETH/USDT' : 'BTC/USDT',
    priority: prioritiesByLetter[word[0] ?? ''] ?? 'medium',
    logIndex: Number(word[1]),
    createdAt: '2026-11-21T12:00:00.000Z',
  } as Alert
}

function createLoadedList(selection: AlertSelection, words: string, next: string | null = '1'): LoadedList {
  const page = {
    items: parseEntries(words),
    next,
    total: createCount(99),
    byPriority: { critical: createCount(1), high: createCount(20), medium: createCount(30), low: createCount(40) },
    lastIndex: 9,
    readAtMs: 5,
    listKey: JSON.stringify(selection),
  }
  return { selection, pages: { pages: [page], pageParams: [''] } }
}

const getIds = (lists: LoadedList[], selection: AlertSelection) =>
  filterLoadedResults(lists, selection)
    ?.pages.flatMap(({ items }) => items)
    .map(({ id }) => id)
    .join(' ')

describe('filterLoadedResults', () => {
  it.each<[string, AlertSelection, AlertSelection, string | undefined]>([
    ['all alerts', {}, { priority: ['critical'] }, 'c9 c6'],
    ['the same priorities and more', { priority: ['high', 'critical'] }, { priority: ['critical'] }, 'c9 c6'],
    ['another priority', { priority: ['high'] }, { priority: ['critical'] }, undefined],
    ['one of the priorities', { priority: ['critical'] }, { priority: ['critical', 'high'] }, undefined],
    ['a filter that the selection lacks', { regime: 'Calm' }, { priority: ['critical'] }, undefined],
    ['no row of the selection', {}, { priority: ['medium'] }, undefined],
    ['read and unread alerts', {}, { read: 'unread' }, 'c9 l7'],
    ['other assets', {}, { assets: ['BTC/USDT'] }, 'h8 l7'],
  ])(
    'returns the matching rows, or undefined, when the loaded list has %s',
    (_name, loadedSelection, requestedSelection, ids) => {
      expect(getIds([createLoadedList(loadedSelection, 'c9 h8. l7 c6.')], requestedSelection)).toBe(ids)
    },
  )

  it('uses the most recently updated list that includes the selection', () => {
    const lists = [
      createLoadedList({ priority: ['low'] }, 'l7'),
      createLoadedList({}, 'c9 l7'),
      createLoadedList({}, 'c9 c6'),
    ]
    expect(getIds(lists, { priority: ['critical'] })).toBe('c9')
  })

  it('computes the total from the server’s counts by priority when only the priority filter of the loaded list differs', () => {
    const [page] = filterLoadedResults([createLoadedList({}, 'c9 h8')], { priority: ['high', 'critical'] })?.pages ?? []
    expect(page?.total).toEqual({ count: 21, isMore: false })
  })

  it('returns the number of matching loaded rows, as a lower bound if more pages exist, when another filter differs', () => {
    const getTotal = (next: string | null) =>
      filterLoadedResults([createLoadedList({}, 'c9 h8', next)], { q: 'h8' })?.pages[0]?.total
    expect([getTotal('1'), getTotal(null)]).toEqual([
      { count: 1, isMore: true },
      { count: 1, isMore: false },
    ])
  })

  it('stores the requested selection in the `listKey` field of the page', () => {
    const selection = { priority: ['critical' as const] }
    expect(filterLoadedResults([createLoadedList({}, 'c9')], selection)?.pages[0]?.listKey).toBe(
      JSON.stringify(selection),
    )
  })

  it('omits locked rows', () => {
    const list = createLoadedList({}, 'c9 c8')
    const [, entry] = list.pages.pages[0]?.items ?? []
    if (entry) Object.assign(entry.alert, { locked: true })
    expect(getIds([list], { priority: ['critical'] })).toBe('c9')
  })
})
