import { expect, test } from 'vitest'
import {
  hasSameFilters,
  isFiltered,
  readAlertSearchParams,
  toSearchParams,
  toSelection,
} from './alert-search-params.ts'

test.each([
  [{}, {}],
  [
    { q: '  eth  ', priority: 'high' },
    { q: 'eth', priority: ['high'] },
  ],
  [{ priority: ['critical', 'urgent', 'low', 'low'] }, { priority: ['low', 'critical'] }],
  [{ priority: [] }, {}],
  [{ asset: ['ETH', 1, ' ', null, 'BTC', 'ETH'] }, { asset: ['1', 'BTC', 'ETH'] }],
  [{ type: { name: 'A' } }, {}],
  [
    { regime: 'Calm', verdict: 'open' },
    { regime: 'Calm', verdict: 'open' },
  ],
  [{ verdict: 'true' }, {}],
  [{ q: 42 }, { q: '42' }],
  [{ q: '' }, {}],
  [{ q: '   ' }, {}],
  [{ q: 'a\0b' }, {}],
  [{ q: ['a'] }, {}],
  [{ q: 'x'.repeat(300) }, { q: 'x'.repeat(200) }],
  [{ priority: 'urgent' }, {}],
  [
    { asset: 'BTC/USDT', type: 'Volume spike' },
    { asset: ['BTC/USDT'], type: ['Volume spike'] },
  ],
  [{ from: '2026-02-30' }, {}],
  [{ from: '0002-11-21', to: '0202-11-21' }, {}],
  [{ to: '9999-12-31' }, {}],
  [
    { from: '2026-02-02', to: '2026-02-01' },
    { from: '2026-02-01', to: '2026-02-02' },
  ],
  [{ read: 'unread' }, { read: 'unread' }],
  [{ read: 'read' }, {}],
  [{ watchlist: true }, { watchlist: true }],
  [{ watchlist: 'BTC/USDT' }, {}],
  [{ watchlist: false }, {}],
  [{ alert: 'abc', other: '1' }, { alert: 'abc' }],
])('readAlertSearchParams: reads %j as %j', (search, searchParams) => {
  expect(readAlertSearchParams(search)).toEqual(searchParams)
})

test('isFiltered: returns false when the open alert is the only search parameter', () => {
  expect(isFiltered({ alert: 'abc' })).toBe(false)
  expect(isFiltered({ alert: 'abc', read: 'unread' })).toBe(true)
  expect(isFiltered({ watchlist: true })).toBe(true)
})

test.each([
  [{ alert: 'abc', q: 'eth' }, ['BTC'], { q: 'eth' }],
  [{ watchlist: true as const }, ['BTC', 'ETH'], { assets: ['BTC', 'ETH'] }],
  [{ watchlist: true as const }, [], { assets: '' }],
  [{ asset: ['BTC', 'ETH'], type: ['A'] }, ['BTC'], { assets: ['BTC', 'ETH'], types: ['A'] }],
  [{ watchlist: true as const, asset: ['ETH', 'SOL'] }, ['BTC', 'ETH'], { assets: ['ETH'] }],
  [{ watchlist: true as const, asset: ['SOL'] }, ['BTC', 'ETH'], { assets: '' }],
])(
  'toSelection: converts the filters %j and the watchlist %j to a selection',
  (searchParams, watchedAssets, selection) => {
    expect(toSelection(searchParams, watchedAssets)).toEqual(selection)
  },
)

test.each([
  { q: 'eth', priority: ['high'], watchlist: true },
  { priority: ['high', 'critical'], asset: ['BTC', 'ETH'], verdict: 'open', alert: 'abc' },
])('toSearchParams: readAlertSearchParams converts the result for %j back to the same search parameters', (search) => {
  const searchParams = readAlertSearchParams(search)
  expect(readAlertSearchParams(toSearchParams(searchParams))).toEqual(searchParams)
})

test('toSearchParams: returns a string instead of a list when a filter has a single value', () => {
  expect(toSearchParams({ priority: ['high'], asset: ['A', 'B'] })).toEqual({ priority: 'high', asset: ['A', 'B'] })
})

test.each([
  [{ asset: ['A', 'B'], q: 'x' }, { q: 'x', asset: ['B', 'A'], alert: 'id' }, true],
  [{ asset: ['A'] }, { asset: ['A', 'B'] }, false],
  [{ watchlist: true as const }, {}, false],
])('hasSameFilters: for %j and %j, returns %j', (one, other, expected) => {
  expect(hasSameFilters(one, other)).toBe(expected)
})
