import { expect, test } from 'vitest'
import { isFiltered, readAlertPlace, selectionOf } from './alert-place.ts'

test.each([
  [{}, {}],
  [
    { q: '  eth  ', priority: 'high' },
    { q: 'eth', priority: 'high' },
  ],
  [{ q: 42 }, { q: '42' }],
  [{ q: '' }, {}],
  [{ q: '   ' }, {}],
  [{ q: 'a\0b' }, {}],
  [{ q: ['a'] }, {}],
  [{ q: 'x'.repeat(300) }, { q: 'x'.repeat(200) }],
  [{ priority: 'urgent' }, {}],
  [
    { asset: 'BTC/USDT', type: 'Volume spike' },
    { asset: 'BTC/USDT', type: 'Volume spike' },
  ],
  [{ from: '2026-02-30' }, {}],
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
])('readAlertPlace: reads %j as %j', (search, place) => {
  expect(readAlertPlace(search)).toEqual(place)
})

test('isFiltered: ignores the open alert', () => {
  expect(isFiltered({ alert: 'abc' })).toBe(false)
  expect(isFiltered({ alert: 'abc', read: 'unread' })).toBe(true)
  expect(isFiltered({ watchlist: true })).toBe(true)
})

test.each([
  [{ alert: 'abc', q: 'eth' }, ['BTC'], { q: 'eth' }],
  [{ watchlist: true as const }, ['BTC', 'ETH'], { assets: ['BTC', 'ETH'] }],
  [{ watchlist: true as const }, [], { assets: '' }],
])('selectionOf: selects of %j with the watchlist %j', (place, watched, selection) => {
  expect(selectionOf(place, watched)).toEqual(selection)
})
